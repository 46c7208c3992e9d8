// Several runs that have ended, side by side, and the full report of one of them on request.
import { comparisonTable, differences } from './comparison_table';
import { CurveCharts, curveTitles, type ChartCurves } from './curve_charts';
import { choice, h, section } from './dom';
import type { Comparison } from './document';
import { ImageBoard } from './image_board';
import { comparedImages } from './comparison_images';
import { Report } from './report';

export type ComparedRun = Comparison['runs'][number];

export class ComparisonView {
  private readonly numbers = h('div');
  private readonly board = new ImageBoard('compared-images', 'Images of all runs',
    (view) => view.minus === '');
  private readonly site = choice('Residual of', [], () => this.drawCurves());
  private readonly charts = new CurveCharts('compared-curves', 'Convergence of all runs',
    [this.site.element]);
  private readonly which = choice('Full report of', [], (value) => this.open(value));
  private readonly place = h('div');
  readonly elements = [this.numbers, this.board.element, this.charts.element,
    section('one-run', 'One run', this.which.element), this.place];
  private report: Report | undefined;
  private runs: ComparedRun[] = [];

  /** `listed` is called when there are other sections. */
  constructor(private readonly listed: () => void) {}

  /** Gives back a title. */
  show({ runs }: Comparison): string {
    this.runs = runs;
    this.numbers.replaceChildren(section('runs', 'Runs', comparisonTable(runs),
      ...differences(runs).map((text) => h('p', { class: 'note' }, text))));
    this.board.show(comparedImages(runs));
    fill(this.site.select, [...new Set(runs.flatMap(({ document: d }) =>
      (d.curves ?? []).filter((c) => c.key === 'residual').map((c) => c.site)))]
      .map((s) => ({ value: s, text: s })));
    this.drawCurves();
    fill(this.which.select, [{ value: '', text: 'none' },
      ...runs.map(({ name }, k) => ({ value: String(k), text: name }))]);
    this.open(this.which.select.value);
    return `${runs.map((r) => r.name).join(', ')}: compared`;
  }

  private drawCurves(): void {
    const site = this.site.select.value;
    this.charts.show(curveTitles.map(({ key, title }): ChartCurves => ({
      key: key === 'residual' ? `${key} ${site}` : key,
      title: key === 'residual' ? `Residual \u2016A w \u2212 b\u2016 of ${site}` : title,
      curves: this.runs.flatMap(({ name, document: d }, colour) =>
        (d.curves ?? []).filter((c) => c.key === key && (key !== 'residual' || c.site === site))
          .map((curve) => ({ label: name, colour, curve,
            heading: `${curve.key.replace(/_/g, ' ')} ${curve.site} ${name}` }))),
    })));
  }

  private open(which: string): void {
    const run = which === '' ? undefined : this.runs[Number(which)]?.document;
    if (run && !this.report) {
      this.report = new Report();
      this.place.append(...this.report.elements);
    }
    this.place.hidden = !run;
    if (run) this.report?.update(run, 'all');
    this.listed();
  }
}

// What was chosen stays, where it is still there.
function fill(select: HTMLSelectElement, options: { value: string; text: string }[]): void {
  const before = select.value;
  select.replaceChildren(...options.map(({ value, text }) => h('option', { value }, text)));
  if (options.some((o) => o.value === before)) select.value = before;
}
