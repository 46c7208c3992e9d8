// Fewer points of a curve, by the rule of src/report/thinned_curve.cc: the first tenth, then the
// smallest and the largest value of every stretch, and the last.
import type { Curve } from './document';

/** A curve above the first number of points gets the second. */
export const mostPoints = 4000;
export const thinnedPoints = 2000;

/** Which points are kept: at most `most` of those that are numbers. Stretches are of equal length
 *  in rounds, so that a curve that is thinned again and again does not lose its beginning. */
export function thinned(
  values: readonly (number | null)[],
  rounds: readonly number[],
  most: number,
): number[] {
  const points = [...values.keys()].filter((k) => Number.isFinite(values[k]));
  if (points.length <= most) return points;
  const head = Math.floor(most / 10);
  const kept = points.slice(0, head);
  const pieces = Math.floor((most - head - 1) / 2);
  const last = points[points.length - 1]!;
  const first = rounds[points[head]!]!;
  const span = rounds[last]! - first;
  let at = head;
  for (let k = 1; k <= pieces; ++k) {
    const end = first + Math.floor((k * span) / pieces);
    const begin = at;
    while (at < points.length - 1 && (rounds[points[at]!]! < end || k === pieces)) ++at;
    if (begin === at) continue;
    let [low, high] = [points[begin]!, points[begin]!];
    for (const point of points.slice(begin, at)) {
      if (values[point]! < values[low]!) low = point;
      if (values[point]! >= values[high]!) high = point;
    }
    kept.push(Math.min(low, high));
    if (low !== high) kept.push(Math.max(low, high));
  }
  kept.push(last);
  return kept;
}

/** Appends points; the curve stays bounded. */
export function append(curve: Curve, more: Curve): void {
  // One by one: an argument list has a limit, and new arrays every second are garbage.
  for (const round of more.round) curve.round.push(round);
  for (const seconds of more.seconds) curve.seconds.push(seconds);
  for (const value of more.value) curve.value.push(value);
  curve.points += more.points;
  if (curve.value.length <= mostPoints) return;
  const kept = thinned(curve.value, curve.round, thinnedPoints);
  curve.round = kept.map((k) => curve.round[k]!);
  curve.seconds = kept.map((k) => curve.seconds[k]!);
  curve.value = kept.map((k) => curve.value[k]!);
}
