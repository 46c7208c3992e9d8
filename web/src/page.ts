// The page: a head, and below it a report or a comparison of several.
import { ComparisonView } from './comparison';
import { h } from './dom';
import { goesOn, type Comparison, type RunDocument } from './document';
import { titleText } from './live_text';
import type { Change } from './panel';
import { Report } from './report';
import type { Connection, Control, Viewer } from './source';
import { StatusPanel } from './status';
import { themeButton } from './theme';

export class Page implements Viewer {
  private readonly title = h('h1', {}, 'FIRM');
  private readonly contents = h('nav', { 'aria-label': 'Contents' });
  private readonly main = h('main');
  private readonly status: StatusPanel | undefined;
  private report: Report | undefined;
  private comparison: ComparisonView | undefined;
  private watched = false;
  private listed = '';

  /** `control`: of a page whose run goes on. */
  constructor(root: HTMLElement, control?: Control) {
    root.replaceChildren(
      h('header', {}, h('div', { class: 'head' }, this.title, themeButton()), this.contents),
      this.main);
    if (control) {
      this.status = new StatusPanel(control);
      this.main.append(this.status.element);
    }
    window.addEventListener('beforeprint', Page.openAll);
  }

  // On paper nothing can be opened.
  private static openAll(): void {
    for (const details of document.querySelectorAll('details')) details.open = true;
  }

  show(run: RunDocument, change: Change): void {
    this.progress(run);
    this.title.textContent = run.summary.study || 'FIRM';
    if (!this.report) {
      this.report = new Report();
      this.main.append(...this.report.elements);
    }
    this.status?.update(run, change);
    this.report.update(run, change);
    this.list();
  }

  compare(comparison: Comparison): void {
    if (!this.comparison) {
      this.comparison = new ComparisonView(() => this.list());
      this.main.append(...this.comparison.elements);
    }
    this.title.textContent = this.comparison.show(comparison);
    document.title = `${this.title.textContent} \u2013 FIRM`;
    this.list();
  }

  progress(run: RunDocument): void {
    this.watched ||= goesOn(run);
    const title = titleText(run, this.watched);
    if (document.title !== title) document.title = title;
  }

  connection(state: Connection): void {
    this.status?.connection(state);
  }

  // The table of contents.
  private list(): void {
    const sections = [...this.main.querySelectorAll<HTMLElement>('section[id]')]
      .filter((s) => !s.closest('[hidden]'));
    const listed = sections.map((s) => s.id).join(' ');
    if (listed === this.listed) return;
    this.listed = listed;
    this.contents.replaceChildren(...sections.map((s) =>
      h('a', { href: `#${s.id}` }, s.querySelector('h2')?.textContent ?? s.id)));
  }
}
