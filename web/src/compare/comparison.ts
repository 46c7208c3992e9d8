// ComparisonView: several finished runs side by side, and the full report of one of them on request.
import { comparisonTable, differences } from './comparison_table';
import { CurveCharts, curveTitles, noiseLine, type ChartCurves } from '../charts/curve_charts';
import { choice, h, section } from '../dom';
import type { Comparison } from '../document';
import { ImageBoard } from '../images/image_board';
import { comparedImages } from './comparison_images';
import { Report } from '../report/report';

/** Keys of curves of one site each. */
const siteCurves = ['residual', 'fit'];

export type ComparedRun = Comparison['runs'][number];

export class ComparisonView {
  private readonly numbers = h('div');
  private readonly board = new ImageBoard('compared-images', 'Images of all runs',
    (view) => view.minus === '');
  private readonly site = choice('Residual and fit of', [], () => this.drawCurves());
  private readonly charts = new CurveCharts('compared-curves', 'Convergence of all runs',
    [this.site.element]);
  private readonly reportChoice = choice('Full report of', [], (value) => this.open(value));
  private readonly reportContainer = h('div');
  readonly elements = [this.numbers, this.board.element, this.charts.element,
    section('one-run', 'One run', this.reportChoice.element), this.reportContainer];
  private report: Report | undefined;
  private runs: ComparedRun[] = [];

  /** Calls `sectionsChanged` when sections appear or disappear. */
  constructor(private readonly sectionsChanged: () => void) {}

  /** Returns the title of the page. */
  show({ runs }: Comparison): string {
    this.runs = runs;
    this.numbers.replaceChildren(section('runs', 'Runs', comparisonTable(runs),
      ...differences(runs).map((text) => h('p', { class: 'note' }, text))));
    this.board.show(comparedImages(runs));
    fill(this.site.select, [...new Set(runs.flatMap(({ document: d }) =>
      (d.curves ?? []).filter((c) => c.key === 'residual').map((c) => c.site)))]
      .map((s) => ({ value: s, text: s })));
    this.drawCurves();
    fill(this.reportChoice.select, [{ value: '', text: 'none' },
      ...runs.map(({ name }, k) => ({ value: String(k), text: name }))]);
    this.open(this.reportChoice.select.value);
    return `Comparison of ${runs.map((r) => r.name).join(', ')}`;
  }

  private drawCurves(): void {
    const site = this.site.select.value;
    this.charts.show(curveTitles.map(({ key, title }): ChartCurves => ({
      key: siteCurves.includes(key) ? `${key} ${site}` : key,
      title: title.replace('each site', site),
      curves: this.runs.flatMap(({ name, document: d }, colour) =>
        (d.curves ?? []).filter((c) =>
          c.key === key && (!siteCurves.includes(key) || c.site === site))
          .map((curve) => ({ label: name, colour, curve,
            heading: `${curve.key.replace(/_/g, ' ')} ${curve.site} ${name}` }))),
      ...(key === 'fit' ? { references: (x: number[]) => [noiseLine(x)] } : {}),
    })));
  }

  private open(index: string): void {
    const run = index === '' ? undefined : this.runs[Number(index)]?.document;
    if (run && !this.report) {
      this.report = new Report();
      this.reportContainer.append(...this.report.elements);
    }
    this.reportContainer.hidden = !run;
    if (run) this.report?.update(run, 'all');
    this.sectionsChanged();
  }
}

// Replaces the options; keeps the selection if it is still among them.
function fill(select: HTMLSelectElement, options: { value: string; text: string }[]): void {
  const before = select.value;
  select.replaceChildren(...options.map(({ value, text }) => h('option', { value }, text)));
  if (options.some((o) => o.value === before)) select.value = before;
}
