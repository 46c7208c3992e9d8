// Levels that residuals have to reach by the discrepancy rule: of every chunk of slices its own.
import type { Series } from './chart';
import type { RunDocument } from './document';

/** Lines over the stretch of `x`, rounds or seconds; colours are those of the sites' residuals. */
export function levelSeries(run: RunDocument, x: number[], time: boolean): Series[] {
  const sites = (run.curves ?? []).filter((c) => c.key === 'residual').map((c) => c.site);
  const first = x.reduce((a, b) => Math.min(a, b), Infinity);
  const last = x.reduce((a, b) => Math.max(a, b), -Infinity);
  const gap = 1e-6 * (last - first); // Two values at one place are one too many.
  return (run.levels ?? []).flatMap((level): Series[] => {
    const colour = sites.indexOf(level.site);
    const starts = time ? level.seconds : level.round;
    const line: Series = { label: `${level.site}: level`, x: [], y: [], colour, level: true };
    starts.forEach((start, k) => {
      const from = Math.max(first, start);
      const to = Math.min(last, k + 1 < starts.length ? starts[k + 1]! - gap : last);
      for (const at of to > from ? [from, to] : to === from ? [from] : []) {
        line.x.push(at);
        line.y.push(level.value[k]!);
      }
    });
    return colour >= 0 && line.x.length > 0 ? [line] : [];
  });
}
