// Chart: several curves in one plot, drawn by uPlot.
import uPlot from 'uplot';
import { bandRange, drawBand } from './band';
import { h } from '../dom';
import { number } from '../format';
import { colour, onTheme } from '../theme';

export interface Series {
  label: string;
  x: number[];
  y: (number | null)[];
  /** Index into the palette; wraps around. */
  colour: number;
  /** A thin dashed line to compare curves with. */
  reference?: boolean;
  /** Filled points without a line. */
  marker?: boolean;
  /** Uncertainty at each point, drawn as a band; null: unknown. Only on linear axes. */
  spread?: (number | null)[];
}

export interface ChartOptions {
  xLabel: string;
  yLabel: string;
  logX?: boolean;
  logY?: boolean;
}

const colours = 7;
const dashes: number[][] = [[], [8, 3], [3, 3], [10, 3, 3, 3], [14, 4]];
/** Curves with more points are drawn without markers. */
const mostMarkers = 60;
const zoomStep = 1.5;
const lineWidth = 1.8;

function positive(values: (number | null)[], log: boolean | undefined): (number | null)[] {
  return log ? values.map((v) => (v !== null && v > 0 ? v : null)) : values;
}

// Joins all curves into one table; drops values that a logarithmic axis cannot show.
function aligned(options: ChartOptions, series: Series[]): uPlot.AlignedData {
  const tables = series.map((s): uPlot.AlignedData => {
    const y = positive(s.y, options.logY);
    const keep = s.x.map((x, k) => !(options.logX && x <= 0) && y[k] !== null);
    return [s.x.filter((_, k) => keep[k]), y.filter((_, k) => keep[k])];
  });
  return tables.length > 0 ? uPlot.join(tables) : ([[]] as unknown as uPlot.AlignedData);
}

// Everything but the values, to detect when the plot must be rebuilt.
function layoutKey(options: ChartOptions, series: Series[]): string {
  return JSON.stringify([options, series.map((s) => [s.label, s.colour, s.reference, s.marker,
    s.spread !== undefined])]);
}

// The point of the curve nearest to the cursor: each curve is thinned at other rounds.
function nearest(u: uPlot, series: number, hovered: number): number {
  const values = u.data[series]!;
  for (let offset = 0; offset < values.length; ++offset) {
    for (const k of [hovered - offset, hovered + offset]) {
      if (values[k] !== null && values[k] !== undefined) return k;
    }
  }
  return hovered;
}

// Grid lines of a logarithmic axis: over many decades, only at powers of ten.
function decades(splits: number[]): (number | null)[] {
  if (splits.filter((v) => v !== null && v > 0).length < 20) return splits;
  return splits.map((v) => (Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9 ? v : null));
}

export class Chart {
  readonly element: HTMLElement;
  private readonly container: HTMLDivElement;
  private readonly cleanups: (() => void)[];
  private plot: uPlot | undefined;
  private layout = '';
  private drawn: { options: ChartOptions; series: Series[] } | undefined;
  /** Labels of curves that the reader has hidden. */
  private readonly hidden = new Set<string>();

  constructor(readonly title: string, private readonly height = 240) {
    this.container = h('div', { class: 'plot', tabindex: 0, role: 'group',
      'aria-roledescription': 'chart', 'aria-keyshortcuts': 'ArrowLeft ArrowRight + - 0' });
    this.element = h('figure', { class: 'chart' }, h('figcaption', {}, title), this.container);
    this.container.addEventListener('keydown', (event) => this.key(event));
    const resized = new ResizeObserver(() => this.resize());
    resized.observe(this.container);
    this.cleanups = [() => resized.disconnect(), onTheme(() => {
      if (this.drawn) {
        const { options, series } = this.drawn;
        this.rebuild(options, series, aligned(options, series));
      }
    })];
  }

  /** Removes listeners and the plot; call it when the element is removed. */
  dispose(): void {
    for (const cleanup of this.cleanups) cleanup();
    this.plot?.destroy();
  }

  /** Draws the curves. Keeps the plot and the zoom when only values have changed. */
  draw(options: ChartOptions, series: Series[]): void {
    const same = this.drawn !== undefined && layoutKey(options, series) === this.layout;
    this.drawn = { options, series };
    this.container.setAttribute('aria-label', describe(this.title, series));
    const data = aligned(options, series);
    if (this.plot && same) {
      this.setValues(this.plot, data);
    } else {
      this.rebuild(options, series, data);
    }
  }

  private rebuild(options: ChartOptions, series: Series[], data: uPlot.AlignedData): void {
    this.layout = layoutKey(options, series);
    this.plot?.destroy();
    this.plot = new uPlot(this.settings(options, series), data, this.container);
  }

  // Keeps the zoom that the reader has chosen.
  private setValues(plot: uPlot, data: uPlot.AlignedData): void {
    const xs = plot.data[0];
    const { min, max } = plot.scales['x']!;
    const zoomed = xs.length > 1 &&
      ((min ?? -Infinity) > xs[0]! || (max ?? Infinity) < xs[xs.length - 1]!);
    plot.setData(data, !zoomed);
    if (zoomed) plot.redraw();
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
      width: Math.max(200, this.container.clientWidth),
      height: this.height,
      scales: {
        x: { time: false, distr: options.logX ? 3 : 1,
          ...(options.logX ? { range: (_: uPlot, low: number, high: number) => [low, high] } : {}) },
        y: { distr: options.logY ? 3 : 1, ...(series.some((s) => s.spread)
          ? { range: (u: uPlot, low: number, high: number) =>
            bandRange(low, high, this.shown(u)) } : {}) },
      },
      cursor: { dataIdx: nearest, drag: { x: true, y: false } },
      legend: { live: true },
      hooks: { setSeries: [(u) => this.keepHidden(u)], drawAxes: [(u) => this.drawBands(u)] },
      axes: [{ ...axis(options.xLabel, options.logX), size: 36 },
        { ...axis(options.yLabel, options.logY), size: 64 }],
      series: [
        { label: options.xLabel, value: (_, v) => number(v, 5) },
        ...series.map((s): uPlot.Series => ({
          label: legendButton(s.label, !this.hidden.has(s.label)),
          show: !this.hidden.has(s.label),
          stroke: colour(`--c${(s.colour % colours) + 1}`),
          width: s.marker ? 0 : s.reference ? 1 : lineWidth,
          dash: s.reference ? [2, 4] : dashes[s.colour % dashes.length]!,
          spanGaps: true,
          points: { show: (_, at) => this.showsPoints(at), size: s.marker ? 10 : 6,
            fill: colour(s.marker ? `--c${(s.colour % colours) + 1}` : '--paper') },
          value: (u, v, at, k) => number(v, 5) + this.spreadText(u, at, k),
        })),
      ],
    };
  }

  private showsPoints(at: number): boolean {
    const series = this.drawn?.series[at - 1];
    return series !== undefined && !series.reference && series.x.length <= mostMarkers;
  }

  /** Curves that the reader has not hidden. */
  private shown(plot: uPlot): Series[] {
    return (this.drawn?.series ?? []).filter((_, k) => plot.series[k + 1]?.show);
  }

  private drawBands(plot: uPlot): void {
    for (const s of this.shown(plot)) {
      if (s.spread) drawBand(plot, s, `--c${(s.colour % colours) + 1}`, lineWidth);
    }
  }

  // Uncertainty at a point of the table that joins all curves.
  private spreadText(plot: uPlot, at: number, k: number | null): string {
    const series = this.drawn?.series[at - 1];
    if (!series?.spread || k === null) return '';
    const spread = series.spread[series.x.indexOf(plot.data[0][k]!)];
    return spread === undefined ? '' : ` \u00b1 ${number(spread, 2)}`;
  }

  private resize(): void {
    const width = this.container.clientWidth;
    if (this.plot && width > 0 && width !== this.plot.width) {
      this.plot.setSize({ width, height: this.height });
    }
  }

  // Remembers which curves a click on the legend has shown or hidden.
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
    const factor = { '+': zoomStep, '=': zoomStep, '-': 1 / zoomStep, 0: 0 }[event.key];
    if (step === undefined && factor === undefined) return;
    event.preventDefault();
    if (step !== undefined) this.moveCursor(plot, step);
    else this.zoom(plot, factor!);
  }

  /** Zooms about the cursor, or about the middle when there is none; factor 0 shows everything. */
  private zoom(plot: uPlot, factor: number): void {
    const xs = plot.data[0];
    const [first, last] = [xs[0]!, xs[xs.length - 1]!];
    const width = plot.bbox.width / devicePixelRatio;
    const left = plot.cursor.left ?? -1;
    const at = left >= 0 ? left : width / 2;
    const end = (pixel: number) => (factor === 0 ? NaN
      : plot.posToVal(at + (pixel - at) / factor, 'x'));
    const [min, max] = [end(0), end(width)];
    plot.setScale('x', { min: min > first ? min : first, max: max < last ? max : last });
  }

  // Moves the cursor from point to point.
  private moveCursor(plot: uPlot, step: number): void {
    const xs = plot.data[0];
    const now = plot.cursor.idx ?? (step > 0 ? -1 : xs.length);
    const next = Math.min(xs.length - 1, Math.max(0, now + step));
    plot.setCursor({ left: plot.valToPos(xs[next]!, 'x'), top: this.height / 4 });
  }
}

// Label of a curve in the legend; uPlot handles clicks on the whole row.
function legendButton(label: string, shown: boolean): HTMLButtonElement {
  return h('button', { type: 'button', 'aria-pressed': String(shown),
    title: 'Show or hide this curve' }, label);
}

function describe(title: string, series: Series[]): string {
  const parts = series.map((s) => {
    const values = s.y.filter((v): v is number => v !== null);
    if (values.length === 0) return `${s.label}: no values`;
    return s.reference
      ? `${s.label}: ${number(values[0])}`
      : `${s.label}: from ${number(values[0])} to ${number(values[values.length - 1])}, ` +
        `${values.length} points`;
  });
  return `${title}. ${parts.join('; ')}`;
}
