// LazyPanel: draws a panel only while it is visible, so that the hidden parts of a running
// reconstruction's page cost nothing.
import type { RunDocument } from '../document';
import type { Change, Panel } from '../panel';

const margin = '200px'; // draws a little before the panel scrolls into view

export class LazyPanel implements Panel {
  readonly element: HTMLElement;
  private readonly missed = new Set<Change>();
  private run: RunDocument | undefined;
  private visible = true; // until the browser reports otherwise

  constructor(private readonly panel: Panel) {
    this.element = panel.element;
    new IntersectionObserver((entries) => {
      this.visible = entries[entries.length - 1]!.isIntersecting;
      if (this.visible) this.drawMissed();
    }, { rootMargin: margin }).observe(this.element);
    window.addEventListener('beforeprint', () => this.drawMissed());
  }

  /** Draws a whole document, and the first content of the panel, even while it is not visible, so
   *  that the page has its layout. */
  update(run: RunDocument, change: Change): void {
    this.run = run;
    if (change === 'all') this.missed.clear();
    if (change === 'all' || this.visible || !this.element.hasChildNodes()) {
      this.panel.update(run, change);
    } else {
      this.missed.add(change);
    }
  }

  private drawMissed(): void {
    for (const change of this.missed) this.panel.update(this.run!, change);
    this.missed.clear();
  }
}
