// How the run went: one chart for each number of the history.
import { Chart, type Series } from './chart';
import { checkbox, choice, h, section, table } from './dom';
import { siteSummaries, type Curve, type RunDocument } from './document';
import { integer, number } from './format';
import type { Panel } from './panel';

const charts = [
  { key: 'objective', title: 'Objective f(w)' },
  { key: 'residual', title: 'Residual \u2016A w \u2212 b\u2016 of each site' },
  { key: 'kkt', title: 'KKT residual, relative' },
  { key: 'constraint_violation', title: 'Constraint violation \u2016D w\u2016' },
  { key: 'step_norm', title: 'Step norm \u2016w \u2212 w before\u2016' },
  { key: 'error_to_truth', title: 'Distance to the truth' },
  { key: 'step_size', title: 'Step size \u03b7' },
] as const;

const manyRounds = 200;
const tableRows = 12;

interface Drawn {
  chart: Chart;
  curves: Curve[];
}

export class CurvesPanel implements Panel {
  readonly element = h('div', { 'data-panel': 'curves' });
  private run: RunDocument | undefined;
  private drawn: Drawn[] = [];
  private logY = true;
  private logX = false;
  private time = false;

  update(run: RunDocument): void {
    this.run = run;
    for (const { chart } of this.drawn) chart.end();
    this.drawn = [];
    this.element.replaceChildren();
    const curves = run.curves ?? [];
    if (curves.length === 0) return;
    this.logX = Math.max(...curves.map((c) => c.points)) > manyRounds;
    const place = h('div', { class: 'charts' });
    const still: string[] = [];
    for (const { key, title } of charts) {
      const these = curves.filter((c) => c.key === key);
      if (these.length === 0) continue;
      if (these.every((c) => c.value.every((v) => v === 0))) {
        still.push(`${title}: 0 in every round.`);
        continue;
      }
      const chart = new Chart(title);
      place.append(chart.element);
      this.drawn.push({ chart, curves: these });
    }
    this.element.append(section('convergence', 'Convergence', this.toolbar(), place,
      still.length > 0 ? h('p', { class: 'note' }, still.join(' ')) : null,
      this.thinned(curves), this.numbers(curves)));
    this.draw();
  }

  private toolbar(): HTMLElement {
    const axis = choice('Against', [{ value: 'round', text: 'rounds' },
      { value: 'seconds', text: 'seconds' }], (value) => {
      this.time = value === 'seconds';
      this.draw();
    });
    return h('div', { class: 'toolbar' }, axis.element,
      checkbox('Values on a log scale', this.logY, (on) => {
        this.logY = on;
        this.draw();
      }),
      checkbox('Rounds on a log scale', this.logX, (on) => {
        this.logX = on;
        this.draw();
      }),
      h('span', { class: 'hint' }, 'Drag across a chart to look closer, double-click to go back.'));
  }

  private thinned(curves: Curve[]): HTMLElement | null {
    const most = Math.max(...curves.map((c) => c.points));
    const shown = Math.max(...curves.map((c) => c.value.length));
    if (shown >= most) return null;
    return h('p', { class: 'note' }, `Of ${integer(most)} rounds, ${integer(shown)} points of each ` +
      'curve are drawn; the smallest and the largest value of every stretch are among them.');
  }

  // Levels that residuals have to reach by the discrepancy rule.
  private levels(x: number[]): Series[] {
    const s = Number(this.run?.summary.options?.['stop.discrepancy'] ?? 0);
    if (!(s > 0) || !this.run) return [];
    return siteSummaries(this.run.summary).flatMap((site, k): Series[] => {
      if (!site.full_scale) return [];
      const level = s * site.full_scale;
      const ends = [Math.min(...x), Math.max(...x)];
      return [{ label: `${site.name}: level`, x: ends, y: [level, level], colour: k, level: true }];
    });
  }

  private draw(): void {
    for (const { chart, curves } of this.drawn) {
      const of = (c: Curve) => (this.time ? c.seconds : c.round);
      const series = curves.map((c, k): Series => ({
        label: c.site || chart.title, x: of(c), y: c.value, colour: k,
      }));
      if (curves[0]!.key === 'residual') {
        const x = curves.flatMap(of).filter((v) => !this.logX || v > 0);
        if (x.length > 0) series.push(...this.levels(x));
      }
      chart.draw({ xLabel: this.time ? 'seconds' : 'round', yLabel: '', logX: this.logX,
        logY: this.logY }, series);
    }
  }

  // The same as numbers: the first, the last, and some between.
  private numbers(curves: Curve[]): HTMLElement {
    const lead = curves[0]!;
    const count = lead.round.length;
    const picked = new Set(Array.from({ length: Math.min(tableRows, count) }, (_, k) =>
      Math.round((k * (count - 1)) / Math.max(1, Math.min(tableRows, count) - 1))));
    const name = (c: Curve) => c.site ? `residual ${c.site}` : c.key.replace(/_/g, ' ');
    const rows = [...picked].map((k) => {
      const round = lead.round[k]!;
      return [String(round), ...curves.map((c) => number(c.value[c.round.indexOf(round)]))];
    });
    return h('details', {}, h('summary', {}, 'Numbers'),
      table('Some rounds', ['round', ...curves.map(name)], rows));
  }
}
