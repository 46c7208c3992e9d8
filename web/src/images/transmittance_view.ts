// TransmittanceView: T of all sites at an angle that the reader chooses.
import { choice, h } from '../dom';
import type { TransmittanceSet, TransmittanceStack } from '../document';
import { number } from '../format';
import { ImageView } from './image_view';
import { Stack } from './stack';
import { ViewState } from './view_state';

/** Text of each angle to choose: that of the sites, or a number if they differ. */
export function angleTexts(stacks: TransmittanceStack[]): string[] {
  const [first] = stacks;
  const most = Math.max(0, ...stacks.map((s) => s.theta.length));
  return Array.from({ length: most }, (_, k) => {
    const same = stacks.every((s) => s.theta[k] === first!.theta[k]);
    return same ? `${number(first!.theta[k])}\u00b0` : `number ${k + 1}`;
  });
}

export class TransmittanceView {
  readonly element: HTMLElement;
  private readonly state = new ViewState();
  private readonly row = h('div', { class: 'row' });
  private shown: ImageView[] = [];

  constructor(private readonly set: TransmittanceSet, private readonly pixelSize: number) {
    const angles = choice('Angle', angleTexts(set.stacks).map((text, k) =>
      ({ value: String(k), text })), (value) => this.show(Number(value)));
    const slice = set.all_slices > 1 ? ` Slice ${set.slice} of ${set.all_slices}, counted from 0.` : '';
    const mean = set.reduction > 1
      ? ` Each value shown is the mean of ${set.reduction} \u00d7 ${set.reduction} pixels.` : '';
    this.element = h('div', {}, h('h3', {}, 'Transmittance T'),
      h('p', {}, 'The part of the fluorescence of a pixel that reaches the detector: the beam is ' +
        `weakened on its way in, and the fluorescence on its way out.${slice}${mean}`),
      h('div', { class: 'toolbar' }, angles.element), h('div', { class: 'views' }, this.row));
    this.show(0);
  }

  dispose(): void {
    for (const image of this.shown) image.dispose();
    this.shown = [];
  }

  private show(k: number): void {
    this.dispose();
    const shown = this.set.stacks.filter((s) => k < s.theta.length);
    this.shown = shown.map((packed) => this.makeView(packed, k));
    this.row.replaceChildren(...this.shown.map((image) => image.element));
  }

  private makeView(packed: TransmittanceStack, k: number): ImageView {
    const n = this.set.reduction;
    const stack = new Stack(packed, n, this.pixelSize);
    const angle = `${number(packed.theta[k])}\u00b0`;
    const image = new ImageView({
      title: `${packed.site}, ${angle}`,
      label: `Transmittance of ${packed.site} at ${angle}`,
      state: this.state,
      aspect: stack.rows / stack.columns,
      width: stack.columns * stack.pixel,
      position: (row, column) => `row ${row * n}, column ${column * n}`,
    });
    image.show({ values: stack.slice(k), rows: stack.rows, columns: stack.columns,
      low: 0, high: 1, map: 'viridis', units: '1' });
    return image;
  }
}
