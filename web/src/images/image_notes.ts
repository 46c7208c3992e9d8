// Notes on what the images of a page leave out.
import type { StackSet } from '../document';

/**
 * Notes on precision, slices and resolution that the page leaves out. `ended`: the run has written
 * images.h5.
 */
export function imageNotes(set: StackSet, ended: boolean): string[] {
  const notes: string[] = [];
  if (set.stacks.some((s) => s.bits === 16)) {
    notes.push('To keep the page small, values are rounded to 65 535 steps between the smallest ' +
      'and the largest value of each site; images.h5' +
      (ended ? ' has full precision.' : ', which is written when the run ends, has full precision.'));
  }
  if (set.slices.length < set.all_slices) {
    notes.push(`${set.slices.length} of ${set.all_slices} slices are shown.`);
  }
  if (set.reduction > 1) {
    notes.push(`Each pixel shown is the mean of ${set.reduction} \u00d7 ${set.reduction} pixels.`);
  }
  return notes;
}
