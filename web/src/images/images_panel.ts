// ImagesPanel: images of all sites side by side: reconstruction, truth, each site alone, and their
// differences.
import type { RunDocument, StackSet } from '../document';
import { ImageBoard, type View } from './image_board';
import type { Change, Panel } from '../panel';
import { Stack } from './stack';

const views: readonly View[] = [
  { id: 'reconstruction', text: 'Reconstruction', from: 'reconstruction', minus: '' },
  { id: 'truth', text: 'Truth', from: 'truth', minus: '' },
  { id: 'alone', text: 'Each site alone', from: 'alone', minus: '' },
  { id: 'minus-truth', text: 'Reconstruction \u2212 truth', from: 'reconstruction', minus: 'truth' },
  { id: 'minus-alone', text: 'Reconstruction \u2212 alone', from: 'reconstruction', minus: 'alone' },
];

export class ImagesPanel implements Panel {
  private readonly board = new ImageBoard('images', 'Images',
    (view) => ['reconstruction', 'truth'].includes(view.id));
  readonly element = this.board.element;

  update(run: RunDocument, change: Change): void {
    if (change !== 'all' && change !== 'images') return;
    const set = run.images;
    this.board.show(set ? {
      views,
      stacks: set.stacks.map((s) => new Stack(s, set.reduction, set.pixel_size)),
      slices: set.slices,
      notes: imageNotes(set),
    } : null);
  }
}

/** Notes on precision, slices and resolution that the page leaves out. */
export function imageNotes(set: StackSet): string[] {
  const notes: string[] = [];
  if (set.stacks.some((s) => s.bits === 16)) {
    notes.push('To keep the page small, values are rounded to 65 535 steps between the smallest ' +
      'and the largest value of each site; images.h5 has full precision.');
  }
  if (set.slices.length < set.all_slices) {
    notes.push(`${set.slices.length} of ${set.all_slices} slices are shown.`);
  }
  if (set.reduction > 1) {
    notes.push(`Each pixel shown is the mean of ${set.reduction} \u00d7 ${set.reduction} pixels.`);
  }
  return notes;
}
