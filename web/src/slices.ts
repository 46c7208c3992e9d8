// The slider that chooses a slice.
import { h } from './dom';
import type { StackSet } from './document';

/** The slice to begin with, or the one that was shown before. */
export function firstSlice(set: StackSet, before: number | undefined): number {
  return Math.min(before ?? Math.floor(set.slices.length / 2), set.slices.length - 1);
}

/** Nothing where there is only one. `change` gets the slice as it is counted in the page. */
export function sliceControl(
  set: StackSet,
  now: number,
  change: (k: number) => void,
): HTMLElement | null {
  if (set.slices.length < 2) return null;
  const shown = h('output', {}, String(set.slices[now]));
  const input = h('input', {
    type: 'range', min: 0, max: set.slices.length - 1, step: 1, value: now,
    'aria-valuetext': `slice ${set.slices[now]}`,
  });
  input.addEventListener('input', () => {
    const k = Number(input.value);
    shown.textContent = String(set.slices[k]);
    input.setAttribute('aria-valuetext', `slice ${set.slices[k]}`);
    change(k);
  });
  return h('label', { class: 'slider' }, 'Slice', input, shown);
}
