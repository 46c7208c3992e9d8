// Bands of uncertainty around the curves of a chart.
import type uPlot from 'uplot';
import { colour } from '../theme';

/** A curve and its uncertainty at each point; null: unknown. */
export interface Banded {
  x: number[];
  y: (number | null)[];
  spread?: (number | null)[];
}

const opacity = 0.25;
/** Part of the range that an axis adds at both ends, as uPlot does. */
const margin = 0.1;

/** Runs of consecutive points with a band, each as [x, low, high]. */
export function bandParts({ x, y, spread }: Banded): [number, number, number][][] {
  const parts: [number, number, number][][] = [[]];
  x.forEach((at, k) => {
    const [value, width] = [y[k] ?? null, spread?.[k] ?? null];
    if (value !== null && width !== null) {
      parts[parts.length - 1]!.push([at, value - width, value + width]);
    } else if (parts[parts.length - 1]!.length > 0) {
      parts.push([]);
    }
  });
  return parts.filter((part) => part.length > 0);
}

/** Range of the y axis that shows all bands of these curves around values from `low` to `high`. */
export function bandRange(low: number | null, high: number | null, curves: Banded[]): [number, number] {
  if (low === null || high === null) return [0, 1];
  const ends = curves.flatMap((c) => bandParts(c).flat().flatMap(([, a, b]) => [a, b]));
  const [least, most] = ends.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [low, high]);
  const space = margin * (most > least ? most - least : Math.abs(most) || 1);
  return [least - space, most + space];
}

/** Fills the band of one curve, whose line is `width` wide. uPlot moves lines by up to a pixel, so
 *  that they are sharp; the band moves with its line. */
export function drawBand(u: uPlot, curve: Banded, palette: string, width: number): void {
  const { ctx, bbox } = u;
  const move = ((width * devicePixelRatio) % 2) / 2;
  const at = (x: number, y: number): [number, number] =>
    [u.valToPos(x, 'x', true) + move, u.valToPos(y, 'y', true) + move];
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.globalAlpha = opacity;
  ctx.fillStyle = colour(palette);
  for (const part of bandParts(curve)) {
    ctx.beginPath();
    for (const [x, , high] of part) ctx.lineTo(...at(x, high));
    for (const [x, low] of [...part].reverse()) ctx.lineTo(...at(x, low));
    ctx.fill();
  }
  ctx.restore();
}
