// CurveCharts: a group of charts over rounds or seconds, with axis controls and a table of values.
// The owner chooses the curves: those of one run, or the same curve of several runs.
import { Chart, type Series } from './chart';
import { checkbox, choice, h, section, table } from '../dom';
import type { Curve } from '../document';
import { integer, number } from '../format';

/** Titles of all curves, by their key in the document. */
export const curveTitles: readonly { key: string; title: string }[] = [
  { key: 'objective', title: 'Objective f(w)' },
  { key: 'residual', title: 'Residual \u2016A w \u2212 b\u2016 of each site' },
  { key: 'fit', title: 'Fit of each site, in standard deviations' },
  { key: 'kkt', title: 'Relative KKT residual' },
  { key: 'constraint_violation', title: 'Constraint violation \u2016D w\u2016' },
  { key: 'step_norm', title: 'Step norm \u2016\u0394w\u2016' },
  { key: 'error_to_truth', title: 'Distance to the truth' },
  { key: 'step_size', title: 'Step size \u03b7' },
  { key: 'sum_seconds', title: 'Seconds per sum' },
];

export interface NamedCurve {
  label: string;
  /** Column heading in the table of values. */
  heading: string;
  colour: number;
  curve: Curve;
}

export interface ChartCurves {
  key: string;
  title: string;
  curves: NamedCurve[];
  /** Lines to compare the curves with, over the range of `x`: rounds, or seconds if `time`. */
  references?: (x: number[], time: boolean) => Series[];
}

/** Index into the palette: grey, so that it differs from the first sites. */
const noiseColour = 6;

/** A fit as good as the noise allows, over the range of `x`. */
export function noiseLine(x: number[]): Series {
  const ends = [x.reduce((a, b) => Math.min(a, b)), x.reduce((a, b) => Math.max(a, b))];
  return { label: 'noise', x: [...new Set(ends)], y: [...new Set(ends)].map(() => 1),
    colour: noiseColour, reference: true };
}

/** Longer runs start with a logarithmic round axis. */
const manyRounds = 200;
const tableRows = 12;

export class CurveCharts {
  readonly element: HTMLElement;
  private readonly container = h('div', { class: 'charts' });
  private readonly zeroNote = h('p', { class: 'note' });
  private readonly thinningNote = h('p', { class: 'note' });
  private readonly values = h('details', {}, h('summary', {}, 'Table of values'));
  private readonly charts = new Map<string, Chart>();
  /** Charts with at least one value. */
  private filled: ChartCurves[] = [];
  /** Charts with at least one value other than 0. */
  private shown: ChartCurves[] = [];
  /** Name of the x axis when it is not time: 'round' or 'sum'. */
  private indexName = 'round';
  private built = false;
  private logY = true;
  private logX = false;
  private time = false;

  constructor(private readonly id: string, private readonly title: string,
    private readonly controls: HTMLElement[] = []) {
    this.element = h('div', { 'data-panel': id });
    this.values.addEventListener('toggle', () => this.fillTable());
  }

  /** Shows these curves. Existing charts stay and get new values. */
  show(all: ChartCurves[], indexName = 'round'): void {
    const filled = all.filter((c) => c.curves.some((n) => n.curve.value.length > 0));
    this.filled = filled;
    const flat = (c: ChartCurves) => c.curves.every((n) => n.curve.value.every((v) => v === 0));
    this.shown = filled.filter((c) => !flat(c));
    if (filled.length === 0) {
      this.clear();
      return;
    }
    const most = Math.max(...filled.flatMap((c) => c.curves.map((n) => n.curve.points)));
    this.build(most, indexName);
    this.arrange();
    const zero = filled.filter(flat).map((c) => `${c.title}: 0 in every ${indexName}.`);
    setNote(this.zeroNote, zero.join(' '));
    const longest = Math.max(...filled.flatMap((c) => c.curves.map((n) => n.curve.value.length)));
    setNote(this.thinningNote, longest >= most ? '' : `Each curve shows at most ` +
      `${integer(longest)} of ${integer(most)} ${indexName}s, including the smallest and the ` +
      'largest value of every interval.');
    this.draw();
    if (this.values.open || !this.values.lastElementChild?.matches('.scroll')) this.fillTable();
  }

  private clear(): void {
    for (const chart of this.charts.values()) chart.dispose();
    this.charts.clear();
    this.element.replaceChildren();
    this.built = false;
  }

  private build(most: number, indexName: string): void {
    if (this.built && indexName === this.indexName) return;
    this.built = true;
    this.indexName = indexName;
    this.logX = most > manyRounds;
    this.element.replaceChildren(section(this.id, indexName === 'sum' ? 'Sums' : this.title,
      this.toolbar(), this.container, this.zeroNote, this.thinningNote, this.values));
  }

  // Adds and removes charts so that they match `shown`, in its order.
  private arrange(): void {
    for (const [key, chart] of this.charts) {
      if (this.shown.some((s) => s.key === key)) continue;
      chart.element.remove();
      chart.dispose();
      this.charts.delete(key);
    }
    this.shown.forEach(({ key, title }, k) => {
      let chart = this.charts.get(key);
      if (!chart) this.charts.set(key, (chart = new Chart(title)));
      if (this.container.children[k] !== chart.element) {
        this.container.insertBefore(chart.element, this.container.children[k] ?? null);
      }
    });
  }

  private toolbar(): HTMLElement {
    const axis = choice('Plot against', [{ value: 'round', text: `${this.indexName}s` },
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
      checkbox(`${this.indexName === 'sum' ? 'Sums' : 'Rounds'} on a log scale`, this.logX, (on) => {
        this.logX = on;
        this.draw();
      }),
      ...this.controls,
      h('span', { class: 'hint' }, 'Drag across a chart to zoom in, double-click to zoom out ' +
        '(keys: + \u2212 0; arrows move from point to point). Click a name in the legend to hide ' +
        'its curve.'));
  }

  private draw(): void {
    for (const { key, curves, references } of this.shown) {
      const xOf = (c: Curve) => (this.time ? c.seconds : c.round);
      const series = curves.map(({ label, colour, curve }): Series => ({
        label, x: xOf(curve), y: curve.value, colour,
      }));
      if (references) {
        const x = curves.flatMap((n) => xOf(n.curve)).filter((v) => !this.logX || v > 0);
        if (x.length > 0) series.push(...references(x, this.time));
      }
      this.charts.get(key)!.draw({ xLabel: this.time ? 'seconds' : this.indexName, yLabel: '',
        logX: this.logX, logY: this.logY }, series);
    }
  }

  // Lists the first round, the last, and some in between.
  private fillTable(): void {
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
    this.values.replaceChildren(this.values.firstElementChild!,
      table(`Selected ${this.indexName}s`, [this.indexName, ...curves.map((n) => n.heading)], rows));
  }
}

function setNote(note: HTMLElement, text: string): void {
  note.hidden = text === '';
  if (note.textContent !== text) note.textContent = text;
}
