// A chart of several curves, by uPlot.
import uPlot from 'uplot';
import { h } from './dom';
import { number } from './format';
import { colour, onTheme } from './theme';

export interface Series {
  label: string;
  x: number[];
  y: (number | null)[];
  /** Number of its colour. */
  colour: number;
  /** A level to compare with, rather than a curve. */
  level?: boolean;
}

export interface ChartOptions {
  xLabel: string;
  yLabel: string;
  logX?: boolean;
  logY?: boolean;
}

const colours = 7;
const dashes: number[][] = [[], [8, 3], [3, 3], [10, 3, 3, 3], [14, 4]];
const fewPoints = 60;
const zoomStep = 1.5;

function positive(values: (number | null)[], log: boolean | undefined): (number | null)[] {
  return log ? values.map((v) => (v !== null && v > 0 ? v : null)) : values;
}

// One table of all curves, without what a logarithmic axis has no place for.
function aligned(options: ChartOptions, series: Series[]): uPlot.AlignedData {
  const tables = series.map((s): uPlot.AlignedData => {
    const y = positive(s.y, options.logY);
    const keep = s.x.map((x, k) => !(options.logX && x <= 0) && y[k] !== null);
    return [s.x.filter((_, k) => keep[k]), y.filter((_, k) => keep[k])];
  });
  return tables.length > 0 ? uPlot.join(tables) : ([[]] as unknown as uPlot.AlignedData);
}

// All but the values.
function shape(options: ChartOptions, series: Series[]): string {
  return JSON.stringify([options, series.map((s) => [s.label, s.colour, s.level])]);
}

// The nearest point that the curve has: curves are thinned, each in its own way.
function nearest(u: uPlot, series: number, hovered: number): number {
  const values = u.data[series]!;
  for (let away = 0; away < values.length; ++away) {
    for (const k of [hovered - away, hovered + away]) {
      if (values[k] !== null && values[k] !== undefined) return k;
    }
  }
  return hovered;
}

// Lines of a logarithmic axis: over many decades, only at powers of ten.
function decades(splits: number[]): (number | null)[] {
  const found = splits.filter((v) => v !== null && v > 0);
  if (found.length < 20) return splits;
  return splits.map((v) => (Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9 ? v : null));
}

export class Chart {
  readonly element: HTMLElement;
  private readonly place: HTMLDivElement;
  private readonly endings: (() => void)[];
  private plot: uPlot | undefined;
  private shape = '';
  private drawn: { options: ChartOptions; series: Series[] } | undefined;
  /** Labels of curves that somebody has hidden. */
  private readonly hidden = new Set<string>();

  constructor(readonly title: string, private readonly height = 240) {
    this.place = h('div', { class: 'plot', tabindex: 0, role: 'group',
      'aria-roledescription': 'chart', 'aria-keyshortcuts': 'ArrowLeft ArrowRight + - 0' });
    this.element = h('figure', { class: 'chart' }, h('figcaption', {}, title), this.place);
    this.place.addEventListener('keydown', (event) => this.key(event));
    const resized = new ResizeObserver(() => this.resize());
    resized.observe(this.place);
    this.endings = [() => resized.disconnect(), onTheme(() => {
      if (this.drawn) {
        const { options, series } = this.drawn;
        this.make(options, series, aligned(options, series));
      }
    })];
  }

  /** It is not needed any more. */
  end(): void {
    for (const ending of this.endings) ending();
    this.plot?.destroy();
  }

  /** Draws anew what has changed: of the same curves with other values, only these. */
  draw(options: ChartOptions, series: Series[]): void {
    const same = this.drawn !== undefined && shape(options, series) === this.shape;
    this.drawn = { options, series };
    this.place.setAttribute('aria-label', describe(this.title, series));
    const data = aligned(options, series);
    if (this.plot && same) {
      this.renew(this.plot, data);
    } else {
      this.make(options, series, data);
    }
  }

  private make(options: ChartOptions, series: Series[], data: uPlot.AlignedData): void {
    this.shape = shape(options, series);
    this.plot?.destroy();
    this.plot = new uPlot(this.settings(options, series), data, this.place);
  }

  // Who looks closer goes on looking at the same place.
  private renew(plot: uPlot, data: uPlot.AlignedData): void {
    const xs = plot.data[0];
    const { min, max } = plot.scales['x']!;
    const closer = xs.length > 1 &&
      ((min ?? -Infinity) > xs[0]! || (max ?? Infinity) < xs[xs.length - 1]!);
    plot.setData(data, !closer);
    if (closer) plot.redraw();
  }

  private settings(options: ChartOptions, series: Series[]): uPlot.Options {
    const ink = colour('--ink');
    const lines = (log: boolean | undefined) => ({ stroke: colour('--grid'), width: 1,
      ...(log ? { filter: (_: uPlot, splits: number[]) => decades(splits) } : {}) });
    const axis = (label: string, log: boolean | undefined): uPlot.Axis => ({
      label,
      stroke: ink,
      grid: lines(log),
      ticks: lines(log),
      font: '12px system-ui, sans-serif',
      labelFont: '12px system-ui, sans-serif',
      labelSize: 22,
      values: (_, splits) => splits.map((v) => (v === null ? '' : number(v, 3))),
    });
    return {
      width: Math.max(200, this.place.clientWidth),
      height: this.height,
      scales: {
        x: { time: false, distr: options.logX ? 3 : 1,
          ...(options.logX ? { range: (_: uPlot, low: number, high: number) => [low, high] } : {}) },
        y: { distr: options.logY ? 3 : 1 },
      },
      cursor: { dataIdx: nearest, drag: { x: true, y: false } },
      legend: { live: true },
      hooks: { setSeries: [(u) => this.keepHidden(u)] },
      axes: [{ ...axis(options.xLabel, options.logX), size: 36 },
        { ...axis(options.yLabel, options.logY), size: 64 }],
      series: [
        { label: options.xLabel, value: (_, v) => number(v, 5) },
        ...series.map((s): uPlot.Series => ({
          label: legendButton(s.label, !this.hidden.has(s.label)),
          show: !this.hidden.has(s.label),
          stroke: colour(`--c${(s.colour % colours) + 1}`),
          width: s.level ? 1 : 1.8,
          dash: s.level ? [2, 4] : dashes[s.colour % dashes.length]!,
          spanGaps: true,
          points: { show: (_, at) => this.few(at), size: 6, fill: colour('--paper') },
          value: (_, v) => number(v, 5),
        })),
      ],
    };
  }

  private few(at: number): boolean {
    const series = this.drawn?.series[at - 1];
    return series !== undefined && !series.level && series.x.length <= fewPoints;
  }

  private resize(): void {
    const width = this.place.clientWidth;
    if (this.plot && width > 0 && width !== this.plot.width) {
      this.plot.setSize({ width, height: this.height });
    }
  }

  // A click on the legend has shown or hidden curves.
  private keepHidden(plot: uPlot): void {
    plot.series.slice(1).forEach(({ label, show }) => {
      const button = label as unknown as HTMLElement;
      button.setAttribute('aria-pressed', String(show));
      this.hidden[show ? 'delete' : 'add'](button.textContent ?? '');
    });
  }

  private key(event: KeyboardEvent): void {
    const plot = this.plot;
    if (!plot || plot.data[0].length === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const closer = { '+': zoomStep, '=': zoomStep, '-': 1 / zoomStep, 0: 0 }[event.key];
    if (step === undefined && closer === undefined) return;
    event.preventDefault();
    if (step !== undefined) this.walk(plot, step);
    else this.zoom(plot, closer!);
  }

  /** Brings what is under the cursor, or the middle, closer; 0 shows all. */
  private zoom(plot: uPlot, closer: number): void {
    const xs = plot.data[0];
    const [first, last] = [xs[0]!, xs[xs.length - 1]!];
    const width = plot.bbox.width / devicePixelRatio;
    const left = plot.cursor.left ?? -1;
    const at = left >= 0 ? left : width / 2;
    const end = (place: number) => (closer === 0 ? NaN
      : plot.posToVal(at + (place - at) / closer, 'x'));
    const [min, max] = [end(0), end(width)];
    plot.setScale('x', { min: min > first ? min : first, max: max < last ? max : last });
  }

  // Left and right lead the cursor from point to point.
  private walk(plot: uPlot, step: number): void {
    const xs = plot.data[0];
    const now = plot.cursor.idx ?? (step > 0 ? -1 : xs.length);
    const next = Math.min(xs.length - 1, Math.max(0, now + step));
    plot.setCursor({ left: plot.valToPos(xs[next]!, 'x'), top: this.height / 4 });
  }
}

// What stands in the legend. The row takes its click.
function legendButton(label: string, shown: boolean): HTMLButtonElement {
  return h('button', { type: 'button', 'aria-pressed': String(shown),
    title: 'Show or hide this curve' }, label);
}

function describe(title: string, series: Series[]): string {
  const parts = series.map((s) => {
    const values = s.y.filter((v): v is number => v !== null);
    if (values.length === 0) return `${s.label}: no values`;
    return s.level
      ? `${s.label}: ${number(values[0])}`
      : `${s.label}: from ${number(values[0])} to ${number(values[values.length - 1])}, ` +
        `${values.length} points`;
  });
  return `${title}. ${parts.join('; ')}`;
}
