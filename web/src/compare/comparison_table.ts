// The main numbers of several runs in one table, and notes on what limits the comparison.
import { h, table, type Cell } from '../dom';
import type { ComparedRun } from './comparison';
import { siteSummaries, type Summary } from '../document';
import { fitMark, worstFit } from '../fit';
import { bytes, integer, number, seconds } from '../format';

interface Column {
  heading: string;
  value: (summary: Summary) => number | null | undefined;
  text: (value: number, summary: Summary) => Cell;
  /** The smallest value is the best, and is marked. */
  ranked: boolean;
}

const columns: Column[] = [
  { heading: 'Rounds', value: (s) => s.rounds, text: integer, ranked: false },
  { heading: 'Objective f', value: (s) => s.objective, text: (v) => number(v), ranked: true },
  { heading: 'Fit of the worst site', value: (s) => worstFit(s)?.fit,
    text: (_, s) => {
      const worst = worstFit(s);
      return fitMark(worst?.fit, worst?.contradicted, `(${worst?.name})`);
    }, ranked: false },
  { heading: 'Relative KKT', value: (s) => s.kkt?.relative, text: short, ranked: true },
  { heading: '\u2016D w\u2016', value: (s) => s.kkt?.primal, text: short, ranked: true },
  { heading: 'Distance to truth', value: (s) => s.error_to_truth?.total,
    text: (v) => number(v), ranked: true },
  { heading: 'Time', value: (s) => s.seconds, text: seconds, ranked: true },
  { heading: 'Sent per site', value: sentPerSite, text: bytes, ranked: true },
];

function short(value: number): string {
  return number(value, 3);
}

function sentPerSite(summary: Summary): number | undefined {
  const sites = siteSummaries(summary);
  return sites.length > 0 ? Math.max(...sites.map((s) => s.bytes_up)) : undefined;
}

/** Marks the smallest values; marks none when all are equal or only one is known. */
export function best(values: (number | null | undefined)[]): boolean[] {
  const known = values.filter((v): v is number => typeof v === 'number' && Number.isFinite(v));
  const least = Math.min(...known);
  const ranked = known.length > 1 && known.some((v) => v > least);
  return values.map((v) => ranked && v === least);
}

export function comparisonTable(runs: ComparedRun[]): HTMLElement {
  const summaries = runs.map((r) => r.document.summary);
  const shown = columns.filter((c) => summaries.some((s) => typeof c.value(s) === 'number'));
  const comparable = oneStudy(runs);
  const marks = shown.map((c) => (c.ranked && comparable ? best(summaries.map(c.value)) : []));
  const rows = summaries.map((summary, k): Cell[] => [runs[k]!.name, summary.method ?? '\u2013',
    ...shown.map((column, c): Cell => {
      const value = column.value(summary);
      const text = typeof value === 'number' ? column.text(value, summary) : '\u2013';
      return marks[c]![k] ? h('strong', { title: 'best value in this column' }, '\u2605 ', text) : text;
    })]);
  return table(`Main numbers${comparable ? '; \u2605 marks the best value in a column' : ''}`,
    ['Run', 'Method', ...shown.map((c) => c.heading)], rows);
}

function oneStudy(runs: ComparedRun[]): boolean {
  return new Set(runs.map((r) => r.document.summary.study)).size === 1 &&
    new Set(runs.map((r) => sizeOf(r))).size === 1;
}

function sizeOf({ document: { study } }: ComparedRun): string {
  return study ? `${study.rows} \u00d7 ${study.columns} \u00d7 ${study.slices}` : '';
}

/** Notes on differences between the runs that limit a comparison. */
export function differences(runs: ComparedRun[]): string[] {
  const notes: string[] = [];
  const studies = [...new Set(runs.map((r) => r.document.summary.study))];
  const sizes = [...new Set(runs.map(sizeOf))];
  if (studies.length > 1) {
    notes.push(`These runs reconstruct different studies (${studies.join(', ')}), so their ` +
      'numbers come from different data.');
  } else if (sizes.length > 1) {
    notes.push(`Images have different sizes (${sizes.map((s) => s || 'unknown').join(', ')}): ` +
      'numbers that grow with the size cannot be compared.');
  }
  const alone = runs.filter((r) => ['pgd', 'plsqr'].includes(r.document.summary.method ?? ''));
  if (alone.length > 0 && alone.length < runs.length) {
    notes.push(`${alone.map((r) => r.name).join(', ')}: each site is reconstructed alone, without ` +
      'the constraint attenuation = \u03a3 c \u00b7 density, so the objective can be lower than ' +
      'in a joint reconstruction.');
  }
  return notes;
}
