// A panel that is drawn while it is in sight: of a run that goes on, what nobody sees costs nothing.
import type { RunDocument } from './document';
import type { Change, Panel } from './panel';

const margin = '200px'; // so that scrolling finds it ready

export class InSight implements Panel {
  readonly element: HTMLElement;
  private readonly missed = new Set<Change>();
  private run: RunDocument | undefined;
  private seen = true; // until the browser says otherwise

  constructor(private readonly panel: Panel) {
    this.element = panel.element;
    new IntersectionObserver((entries) => {
      this.seen = entries[entries.length - 1]!.isIntersecting;
      if (this.seen) this.catchUp();
    }, { rootMargin: margin }).observe(this.element);
    window.addEventListener('beforeprint', () => this.catchUp());
  }

  /** A whole document is drawn at once, and so is the first of a part: the page has its place. */
  update(run: RunDocument, change: Change): void {
    this.run = run;
    if (change === 'all') this.missed.clear();
    if (change === 'all' || this.seen || !this.element.hasChildNodes()) {
      this.panel.update(run, change);
    } else {
      this.missed.add(change);
    }
  }

  private catchUp(): void {
    for (const change of this.missed) this.panel.update(this.run!, change);
    this.missed.clear();
  }
}
