// Charts of curves against rounds or seconds, with their controls; which curves, its owner says.
import { Chart, type Series } from './chart';
import { checkbox, choice, h, section, table } from './dom';
import type { Curve } from './document';
import { integer, number } from './format';

/** What a curve can be of. */
export const curveTitles: readonly { key: string; title: string }[] = [
  { key: 'objective', title: 'Objective f(w)' },
  { key: 'residual', title: 'Residual \u2016A w \u2212 b\u2016 of each site' },
  { key: 'kkt', title: 'KKT residual, relative' },
  { key: 'constraint_violation', title: 'Constraint violation \u2016D w\u2016' },
  { key: 'step_norm', title: 'Step norm \u2016w \u2212 w before\u2016' },
  { key: 'error_to_truth', title: 'Distance to the truth' },
  { key: 'step_size', title: 'Step size \u03b7' },
  { key: 'sum_seconds', title: 'Seconds per sum' },
];

export interface NamedCurve {
  label: string;
  /** In the table of numbers. */
  heading: string;
  colour: number;
  curve: Curve;
}

export interface ChartCurves {
  key: string;
  title: string;
  curves: NamedCurve[];
  /** To compare with, for these x. */
  levels?: (x: number[], time: boolean) => Series[];
}

const manyRounds = 200;
const tableRows = 12;

export class CurveCharts {
  readonly element: HTMLElement;
  private readonly place = h('div', { class: 'charts' });
  private readonly still = h('p', { class: 'note' });
  private readonly thinned = h('p', { class: 'note' });
  private readonly numbers = h('details', {}, h('summary', {}, 'Numbers'));
  private readonly charts = new Map<string, Chart>();
  private filled: ChartCurves[] = [];
  private shown: ChartCurves[] = [];
  private counted = 'round';
  private begun = false;
  private logY = true;
  private logX = false;
  private time = false;

  constructor(private readonly id: string, private readonly title: string,
    private readonly controls: HTMLElement[] = []) {
    this.element = h('div', { 'data-panel': id });
    this.numbers.addEventListener('toggle', () => this.fillNumbers());
  }

  /** Charts that are there stay, and get the values of these curves. */
  show(all: ChartCurves[], counted = 'round'): void {
    const filled = all.filter((c) => c.curves.some((n) => n.curve.value.length > 0));
    this.filled = filled;
    const flat = (c: ChartCurves) => c.curves.every((n) => n.curve.value.every((v) => v === 0));
    this.shown = filled.filter((c) => !flat(c));
    if (filled.length === 0) {
      this.clear();
      return;
    }
    const most = Math.max(...filled.flatMap((c) => c.curves.map((n) => n.curve.points)));
    this.begin(most, counted);
    this.arrange();
    const zero = filled.filter(flat).map((c) => `${c.title}: 0 in every ${counted}.`);
    tell(this.still, zero.join(' '));
    const longest = Math.max(...filled.flatMap((c) => c.curves.map((n) => n.curve.value.length)));
    tell(this.thinned, longest >= most ? '' : `Of ${integer(most)} ${counted}s, ` +
      `${integer(longest)} points of each curve are drawn; the smallest and the largest value of ` +
      'every stretch are among them.');
    this.draw();
    if (this.numbers.open || !this.numbers.lastElementChild?.matches('.scroll')) this.fillNumbers();
  }

  private clear(): void {
    for (const chart of this.charts.values()) chart.end();
    this.charts.clear();
    this.element.replaceChildren();
    this.begun = false;
  }

  private begin(most: number, counted: string): void {
    if (this.begun && counted === this.counted) return;
    this.begun = true;
    this.counted = counted;
    this.logX = most > manyRounds;
    this.element.replaceChildren(section(this.id, counted === 'sum' ? 'Sums' : this.title,
      this.toolbar(), this.place, this.still, this.thinned, this.numbers));
  }

  // In the order in which they are given.
  private arrange(): void {
    for (const [key, chart] of this.charts) {
      if (this.shown.some((s) => s.key === key)) continue;
      chart.element.remove();
      chart.end();
      this.charts.delete(key);
    }
    this.shown.forEach(({ key, title }, k) => {
      let chart = this.charts.get(key);
      if (!chart) this.charts.set(key, (chart = new Chart(title)));
      if (this.place.children[k] !== chart.element) {
        this.place.insertBefore(chart.element, this.place.children[k] ?? null);
      }
    });
  }

  private toolbar(): HTMLElement {
    const axis = choice('Against', [{ value: 'round', text: `${this.counted}s` },
      { value: 'seconds', text: 'seconds' }], (value) => {
      this.time = value === 'seconds';
      this.draw();
    });
    axis.select.value = this.time ? 'seconds' : 'round';
    return h('div', { class: 'toolbar' }, axis.element,
      checkbox('Values on a log scale', this.logY, (on) => {
        this.logY = on;
        this.draw();
      }),
      checkbox(`${this.counted === 'sum' ? 'Sums' : 'Rounds'} on a log scale`, this.logX, (on) => {
        this.logX = on;
        this.draw();
      }),
      ...this.controls,
      h('span', { class: 'hint' }, 'Drag across a chart to look closer, double-click to go back ' +
        '(keys + \u2212 0, arrows for values); names in the legend hide curves.'));
  }

  private draw(): void {
    for (const { key, curves, levels } of this.shown) {
      const of = (c: Curve) => (this.time ? c.seconds : c.round);
      const series = curves.map(({ label, colour, curve }): Series => ({
        label, x: of(curve), y: curve.value, colour,
      }));
      if (levels) {
        const x = curves.flatMap((n) => of(n.curve)).filter((v) => !this.logX || v > 0);
        if (x.length > 0) series.push(...levels(x, this.time));
      }
      this.charts.get(key)!.draw({ xLabel: this.time ? 'seconds' : this.counted, yLabel: '',
        logX: this.logX, logY: this.logY }, series);
    }
  }

  // The same as numbers: the first, the last, and some between.
  private fillNumbers(): void {
    const curves = this.filled.flatMap((c) => c.curves);
    const lead = curves[0]?.curve;
    if (!lead) return;
    const count = lead.round.length;
    const picked = new Set(Array.from({ length: Math.min(tableRows, count) }, (_, k) =>
      Math.round((k * (count - 1)) / Math.max(1, Math.min(tableRows, count) - 1))));
    const rows = [...picked].map((k) => {
      const round = lead.round[k]!;
      return [String(round),
        ...curves.map(({ curve: c }) => number(c.value[c.round.indexOf(round)]))];
    });
    this.numbers.replaceChildren(this.numbers.firstElementChild!,
      table(`Some ${this.counted}s`, [this.counted, ...curves.map((n) => n.heading)], rows));
  }
}

function tell(place: HTMLElement, text: string): void {
  place.hidden = text === '';
  if (place.textContent !== text) place.textContent = text;
}
