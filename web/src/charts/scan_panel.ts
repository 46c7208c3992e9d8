// ScanPanel: what alignment has found in the data: shifts and gain of each angle, and the axis, lag,
// scale and angle step of sites and scans.
import { Chart, type Series } from './chart';
import { h, section, table, type Cell } from '../dom';
import type { Refined, RefinedScan, RefinedSite, RunDocument } from '../document';
import { number, withUncertainty } from '../format';
import type { Change, Panel } from '../panel';

export interface ScanChart {
  title: string;
  series: Series[];
}

const none = '\u2013';
/** Index into the palette: grey, like other lines to compare with. */
const referenceColour = 6;

function numbersOf(values: number[]): number[] {
  return values.map((_, k) => k);
}

type Uncertainties = (number | null)[];

// One curve for each scan whose shifts were refined.
function shiftSeries(refined: Refined, shifts: (scan: RefinedScan) => number[] | undefined,
  uncertainties: (scan: RefinedScan, values: number[]) => Uncertainties): Series[] {
  return Object.entries(refined.scans).flatMap(([label, scan], colour): Series[] => {
    const y = shifts(scan);
    return y ? [{ label, x: numbersOf(y), y, spread: uncertainties(scan, y), colour }] : [];
  });
}

// Gains of the sites, and the gain of a steady beam.
function gainSeries(refined: Refined): Series[] {
  const curves = Object.entries(refined.sites).flatMap(([label, { gain }], colour): Series[] =>
    (gain ? [{ label, x: numbersOf(gain), y: gain, colour }] : []));
  if (curves.length === 0) return [];
  const last = Math.max(...curves.map((c) => c.x.length)) - 1;
  return [...curves,
    { label: 'steady', x: [0, last], y: [1, 1], colour: referenceColour, reference: true }];
}

/** Charts over the angles, those without a curve left out. */
export function scanCharts(refined: Refined): ScanChart[] {
  return [
    { title: 'Shift of the stage, in beamlets',
      series: shiftSeries(refined, (s) => s.shifts, (s) => s.uncertainties ?? []) },
    { title: 'Vertical shift of the stage, in slices',
      series: shiftSeries(refined, (s) => s.shifts_vertical,
        (s, values) => values.map(() => s.vertical_uncertainty ?? null)) },
    { title: 'Gain of the beam', series: gainSeries(refined) },
  ].filter((chart) => chart.series.length > 0);
}

function found(value: number | undefined, uncertainty: number | null | undefined): string {
  return value === undefined ? none : withUncertainty(value, uncertainty);
}

function rangeText(values: number[] | undefined, uncertainty: number | null | undefined): string {
  if (!values || values.length === 0) return none;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const spread = uncertainty === null ? 'unknown' : number(uncertainty, 2);
  return `${low.toFixed(2)} to ${high.toFixed(2)}, \u00b1 ${spread}`.replaceAll('-', '\u2212');
}

interface Column<T> {
  heading: string;
  cell: (row: T) => string;
}

const scanColumns: Column<RefinedScan>[] = [
  { heading: 'Shifts, beamlets', cell: (s) => rangeText(s.shifts, s.uncertainty) },
  { heading: 'Vertical shifts, slices',
    cell: (s) => rangeText(s.shifts_vertical, s.vertical_uncertainty) },
  { heading: 'Angle step, factor', cell: (s) => found(s.angle_scale, s.angle_scale_uncertainty) },
];

const siteColumns: Column<RefinedSite>[] = [
  { heading: 'Rotation axis, beamlets', cell: (s) => found(s.axis, s.axis_uncertainty) },
  { heading: 'Lag, beamlets', cell: (s) => found(s.lag, s.lag_uncertainty) },
  { heading: 'Scale, g/cm\u00b2 per count', cell: (s) => (s.coupled === false
    ? 'not known: not coupled' : found(s.scale, s.scale_uncertainty)) },
];

/** Headings and rows; columns without a value are left out, and null stands for no column at all. */
export function foundTable<T>(first: string, rows: Record<string, T>, columns: Column<T>[]):
    { headings: string[]; rows: Cell[][] } | null {
  const all = Object.entries(rows);
  const kept = columns.filter((c) => all.some(([, row]) => c.cell(row) !== none));
  if (kept.length === 0) return null;
  return { headings: [first, ...kept.map((c) => c.heading)],
    rows: all.map(([name, row]) => [name, ...kept.map((c) => c.cell(row))]) };
}

export function scanTable(refined: Refined): ReturnType<typeof foundTable> {
  return foundTable('Scan', refined.scans, scanColumns);
}

export function siteTable(refined: Refined): ReturnType<typeof foundTable> {
  return foundTable('Site', refined.sites, siteColumns);
}

function tableOf(caption: string, content: ReturnType<typeof foundTable>): HTMLElement | null {
  return content && table(caption, content.headings, content.rows);
}

function list(kind: 'notes' | 'warnings', texts: string[]): HTMLElement[] {
  return texts.length === 0 ? []
    : [h('ul', { class: kind }, ...texts.map((text) => h('li', {}, text)))];
}

export class ScanPanel implements Panel {
  readonly element = h('div', { 'data-panel': 'scan' });
  private readonly text = h('div');
  private readonly numbers = h('div');
  private readonly charts = new Map<string, Chart>();

  update(run: RunDocument, change: Change): void {
    if (change !== 'all') return;
    const refined = run.summary.refined;
    if (!refined) {
      this.clear();
      return;
    }
    this.write(refined);
    const charts = scanCharts(refined);
    const titles = charts.map((c) => c.title);
    if (!this.element.hasChildNodes() || titles.join() !== [...this.charts.keys()].join()) {
      this.build(titles);
    }
    for (const { title, series } of charts) {
      this.charts.get(title)!.draw({ xLabel: 'angle, counted from 0', yLabel: '' }, series);
    }
  }

  private clear(): void {
    for (const chart of this.charts.values()) chart.dispose();
    this.charts.clear();
    this.element.replaceChildren();
  }

  private build(titles: string[]): void {
    this.clear();
    for (const title of titles) this.charts.set(title, new Chart(title));
    this.element.replaceChildren(section('scan', 'Scan', this.text,
      titles.length > 0 ? h('div', { class: 'charts' },
        ...[...this.charts.values()].map((c) => c.element)) : null,
      this.numbers,
      h('p', { class: 'hint' }, 'Bands and \u00b1 are standard deviations. A shift is how much ' +
        'further along the detector everything appears at an angle; beamlets are those after ' +
        'binning. The reconstruction has used these numbers; refined.toml is a study with them.')));
  }

  private write(refined: Refined): void {
    const rounds = `${refined.rounds} round${refined.rounds === 1 ? '' : 's'}`;
    this.text.replaceChildren(
      h('p', {}, `Found from the data before the reconstruction, in ${rounds} of alignment.`),
      ...list('notes', refined.notes), ...list('warnings', refined.warnings));
    const tables = [tableOf('Each scan', scanTable(refined)),
      tableOf('Each site', siteTable(refined))];
    this.numbers.replaceChildren(...tables.filter((t) => t !== null));
  }
}
