// Thins a curve by the rule of src/report/page/thinned_curve.cc: keeps the first tenth of the points,
// then the smallest and the largest value of every interval, and the last point.
import type { Curve } from '../document';

/** A curve with more than `mostPoints` points is thinned to `thinnedPoints`. */
export const mostPoints = 4000;
export const thinnedPoints = 2000;

/** Indices of the points to keep: at most `most`, all of them finite. Intervals have equal length
 *  in rounds, so a curve that is thinned repeatedly does not lose its beginning. */
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

/** Appends the points of `more` and thins the curve when it gets too long. */
export function append(curve: Curve, more: Curve): void {
  // One by one: an argument list has a length limit, and new arrays every second make garbage.
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
