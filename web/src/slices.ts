// The slider that chooses a slice.
import { h } from './dom';

/** The slice to begin with, or the one nearest to that of number `before`. */
export function firstSlice(slices: number[], before: number | undefined): number {
  if (before === undefined) return Math.floor(slices.length / 2);
  const away = slices.map((s) => Math.abs(s - before));
  return away.indexOf(Math.min(...away));
}

/** Nothing where there is only one. `change` gets the slice as it is counted in the page. */
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
