// Residuals at which the discrepancy rule stops a run. Each chunk of slices has its own target.
import type { Series } from './chart';
import type { RunDocument } from '../document';

/** One reference line per site over the range of `x` (rounds, or seconds if `time`), in the colour
 *  of the site's residual. */
export function residualTargetSeries(run: RunDocument, x: number[], time: boolean): Series[] {
  const sites = (run.curves ?? []).filter((c) => c.key === 'residual').map((c) => c.site);
  const first = x.reduce((a, b) => Math.min(a, b), Infinity);
  const last = x.reduce((a, b) => Math.max(a, b), -Infinity);
  const gap = 1e-6 * (last - first); // uPlot allows one value per x, so a step needs a small width.
  return (run.levels ?? []).flatMap((target): Series[] => {
    const colour = sites.indexOf(target.site);
    const starts = time ? target.seconds : target.round;
    const line: Series = { label: `${target.site}: target`, x: [], y: [], colour, reference: true };
    starts.forEach((start, k) => {
      const from = Math.max(first, start);
      const to = Math.min(last, k + 1 < starts.length ? starts[k + 1]! - gap : last);
      for (const at of to > from ? [from, to] : to === from ? [from] : []) {
        line.x.push(at);
        line.y.push(target.value[k]!);
      }
    });
    return colour >= 0 && line.x.length > 0 ? [line] : [];
  });
}
