// PriorPanel: strength and solver of the prior, and the error of the rays left out against the
// strength, from which the strength was found.
import { Chart, type Series } from './chart';
import { h, section } from '../dom';
import type { PriorSummary, RunDocument, Summary } from '../document';
import { number } from '../format';
import type { Change, Panel } from '../panel';

/** A search of the strength, of the whole run or of a chunk of slices. */
interface Search {
  label: string;
  prior: PriorSummary;
}

/** Index into the palette: grey, like other lines to compare with. */
const chosenColour = 6;

/** Searches with a curve: one, or one for each chunk. */
export function searches(summary: Summary): Search[] {
  const chunks = (summary.chunks ?? []).flatMap((c, k): Search[] =>
    (c.prior ? [{ label: `chunk ${k + 1}`, prior: c.prior }] : []));
  const all = chunks.length > 0 ? chunks
    : summary.prior ? [{ label: 'rays left out', prior: summary.prior }] : [];
  return all.filter(({ prior }) => prior.curve.length > 0);
}

/** Error at a strength, by a line in log strength between two points of the curve; outside of the
 *  curve, that of its end. */
export function errorAt(curve: PriorSummary['curve'], strength: number): number | null {
  const sorted = [...curve].sort((a, b) => a[0] - b[0]);
  const above = sorted.findIndex(([rho]) => rho >= strength);
  if (above <= 0) return (above === 0 ? sorted[0] : sorted[sorted.length - 1])?.[1] ?? null;
  const [[x0, y0], [x1, y1]] = [sorted[above - 1]!, sorted[above]!];
  if (y0 === null || y1 === null) return null;
  return y0 + ((y1 - y0) * Math.log(strength / x0)) / Math.log(x1 / x0);
}

export function priorText(prior: PriorSummary): string {
  const origin = prior.automatic ? 'found from rays that each site left out' : 'as given';
  const strength = prior.strength === null
    ? 'a strength for each chunk of slices' : `strength ${number(prior.strength, 3)}`;
  return `Total variation, ${strength}, ${origin}` +
    (prior.solver ? `; local problems solved by ${prior.solver} steps.` : '.');
}

function seriesOf(found: Search[]): Series[] {
  const curves = found.map(({ label, prior }, colour): Series => {
    const points = [...prior.curve].reverse();
    return { label, x: points.map((p) => p[0]), y: points.map((p) => p[1]), colour };
  });
  const chosen = found.flatMap(({ prior }) => (prior.strength === null ? []
    : [{ x: prior.strength, y: errorAt(prior.curve, prior.strength) }]))
    .sort((a, b) => a.x - b.x);
  return [...curves, { label: found.length > 1 ? 'strengths used' : 'strength used',
    x: chosen.map((p) => p.x), y: chosen.map((p) => p.y), colour: chosenColour, marker: true }];
}

export class PriorPanel implements Panel {
  readonly element = h('div', { 'data-panel': 'prior' });
  private readonly text = h('p');
  private chart: Chart | undefined;

  update(run: RunDocument, change: Change): void {
    if (change !== 'all') return;
    const prior = run.summary.prior;
    if (!prior) {
      this.clear();
      return;
    }
    this.text.textContent = priorText(prior);
    const found = searches(run.summary);
    if (!this.element.hasChildNodes() || (found.length > 0) !== (this.chart !== undefined)) {
      this.build(found.length > 0);
    }
    this.chart?.draw({ xLabel: 'strength \u03c1', yLabel: '', logX: true, logY: true },
      seriesOf(found));
  }

  private clear(): void {
    this.chart?.dispose();
    this.chart = undefined;
    this.element.replaceChildren();
  }

  private build(searched: boolean): void {
    this.clear();
    if (searched) this.chart = new Chart('Error of the rays left out, \u03a3 ((A w \u2212 b) / s)\u00b2');
    this.element.replaceChildren(section('prior', 'Prior', this.text,
      this.chart ? h('div', { class: 'charts' }, this.chart.element) : null,
      this.chart ? h('p', { class: 'hint' }, 'Images that are too smooth (right) or fit noise ' +
        '(left) predict rays badly that they were not fitted to. The strength used is 1.4 times ' +
        'that of the smallest error.') : null));
  }
}
