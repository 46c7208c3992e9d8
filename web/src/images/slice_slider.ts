// A slider that selects a slice.
import { h } from '../dom';

/** Index of the slice nearest to number `chosen`, or of the middle slice if none was chosen. */
export function initialSlice(slices: number[], chosen: number | undefined): number {
  if (chosen === undefined) return Math.floor(slices.length / 2);
  const distances = slices.map((s) => Math.abs(s - chosen));
  return distances.indexOf(Math.min(...distances));
}

/** Returns null if there is only one slice. `now` and the argument of `change` are indices into
 *  `slices`. */
export function sliceControl(
  slices: number[],
  now: number,
  change: (k: number) => void,
): HTMLElement | null {
  if (slices.length < 2) return null;
  const shown = h('output', {}, String(slices[now]));
  const input = h('input', {
    type: 'range', min: 0, max: slices.length - 1, step: 1, value: now,
    'aria-valuetext': `slice ${slices[now]}`,
  });
  input.addEventListener('input', () => {
    const k = Number(input.value);
    shown.textContent = String(slices[k]);
    input.setAttribute('aria-valuetext', `slice ${slices[k]}`);
    change(k);
  });
  return h('label', { class: 'slider' }, 'Slice', input, shown);
}
