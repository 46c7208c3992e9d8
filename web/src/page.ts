// Page: title and table of contents, and below them a report or a comparison of runs.
import { ComparisonView } from './compare/comparison';
import { h } from './dom';
import { isRunning, type Comparison, type RunDocument } from './document';
import { titleText } from './live/status_text';
import type { Change } from './panel';
import { Report } from './report/report';
import type { Connection, Control, Viewer } from './source';
import { StatusPanel } from './live/status_panel';
import { themeButton } from './theme';

export class Page implements Viewer {
  private readonly title = h('h1', {}, 'FIRM');
  private readonly contents = h('nav', { 'aria-label': 'Contents' });
  private readonly main = h('main');
  private readonly status: StatusPanel | undefined;
  private report: Report | undefined;
  private comparison: ComparisonView | undefined;
  private watched = false;
  private listedSections = '';

  /** `control` is given for the page of a server, which shows the status of its run. */
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

  // Opens all details before printing.
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
    this.updateContents();
  }

  compare(comparison: Comparison): void {
    if (!this.comparison) {
      this.comparison = new ComparisonView(() => this.updateContents());
      this.main.append(...this.comparison.elements);
    }
    this.title.textContent = this.comparison.show(comparison);
    document.title = `${this.title.textContent} \u2013 FIRM`;
    this.updateContents();
  }

  progress(run: RunDocument): void {
    this.watched ||= isRunning(run);
    const title = titleText(run, this.watched);
    if (document.title !== title) document.title = title;
  }

  connection(state: Connection): void {
    this.status?.connection(state);
  }

  private updateContents(): void {
    const sections = [...this.main.querySelectorAll<HTMLElement>('section[id]')]
      .filter((s) => !s.closest('[hidden]'));
    const ids = sections.map((s) => s.id).join(' ');
    if (ids === this.listedSections) return;
    this.listedSections = ids;
    this.contents.replaceChildren(...sections.map((s) =>
      h('a', { href: `#${s.id}` }, s.querySelector('h2')?.textContent ?? s.id)));
  }
}
