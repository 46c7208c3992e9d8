// ImagesPanel: images of all sites side by side: reconstruction, truth, each site alone, and their
// differences.
import type { RunDocument } from '../document';
import { ImageBoard, type View } from './image_board';
import { imageNotes } from './image_notes';
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
      notes: imageNotes(set, run.summary.termination !== undefined),
    } : null);
  }
}
