// SinogramsPanel: the data b of every site and the residual A w - b that its image leaves.
import { button, choice, group, h, section } from '../dom';
import type { ColourMap } from './colormap';
import type { RunDocument, StackSet } from '../document';
import { number } from '../format';
import { ImageView } from './image_view';
import type { Change, Panel } from '../panel';
import { largest, Stack } from './stack';
import { initialSlice, sliceControl } from './slice_slider';
import { ViewState } from './view_state';

const views = [
  { id: 'data', text: 'Sinogram b' },
  { id: 'residual', text: 'Residual A w \u2212 b' },
] as const;

// Limits how flat a sinogram is drawn, whatever the number of angles.
function aspectOf(stack: Stack): number {
  return Math.min(1, Math.max(0.5, stack.rows / stack.columns));
}

export class SinogramsPanel implements Panel {
  readonly element = h('div', { 'data-panel': 'sinograms' });
  private readonly state = new ViewState();
  private shown: { image: ImageView; stack: Stack }[] = [];
  private units = new Map<string, string>();
  private slice = 0;
  private chosenSlice: number | undefined;
  private map: ColourMap = 'viridis';

  update(run: RunDocument, change: Change): void {
    if (change !== 'all') return;
    this.element.replaceChildren();
    const set = run.sinograms;
    if (!set) return;
    for (const site of run.study?.sites ?? []) {
      this.units.set(site.name, site.kind === 'xrf' ? 'g/cm^2' : '1');
    }
    this.slice = initialSlice(set.slices, this.chosenSlice);
    for (const { image } of this.shown) image.dispose();
    this.shown = [];
    const rows = views.map((view) => ({
      text: view.text,
      images: set.stacks.filter((s) => s.view === view.id)
        .map((s) => this.makeView(set, view.text, new Stack(s))),
    }));
    this.element.append(section('sinograms', 'Sinograms and residuals',
      h('p', {}, 'Each row is an angle, in file order; each column is a beamlet. A residual that ' +
        'is only noise has no structure; structure shows data that the images do not explain.'),
      this.note(set), this.toolbar(set),
      h('div', { class: 'views' }, ...rows.flatMap((row) => [h('h3', {}, row.text),
        h('div', { class: 'row' }, ...row.images.map((i) => i.element))]))));
    this.paint();
  }

  private note(set: StackSet): HTMLElement | null {
    if (set.slices.length === set.all_slices && set.reduction === 1) return null;
    const mean = set.reduction > 1
      ? ` Each value shown is the mean of ${set.reduction} \u00d7 ${set.reduction} values.` : '';
    return h('p', { class: 'note' }, `${set.slices.length} of ${set.all_slices} slices are shown ` +
      `(${set.slices.join(', ')}).${mean}`);
  }

  private toolbar(set: StackSet): HTMLElement {
    const maps = choice('Colours', [{ value: 'viridis', text: 'viridis' },
      { value: 'grey', text: 'grey' }], (value) => {
      this.map = value as ColourMap;
      this.paint();
    });
    maps.select.value = this.map;
    return h('div', { class: 'toolbar' },
      sliceControl(set.slices, this.slice, (k) => {
        this.slice = k;
        this.chosenSlice = set.slices[k];
        this.paint();
      }),
      maps.element,
      group('Zoom',
        button('\u2212', () => this.state.zoomBy(1 / 1.5), 'Zoom out of sinograms'),
        button('+', () => this.state.zoomBy(1.5), 'Zoom into sinograms'),
        button('All', () => this.state.reset(), 'Show whole sinograms')));
  }

  private makeView(set: StackSet, text: string, stack: Stack): ImageView {
    const n = set.reduction;
    const theta = stack.packed.theta ?? [];
    const image = new ImageView({
      title: stack.packed.site,
      label: `${text} of ${stack.packed.site}, ${theta.length} angles and ` +
        `${stack.columns * n} beamlets`,
      state: this.state,
      aspect: aspectOf(stack),
      position: (row, column) =>
        `${number(theta[row * n] ?? NaN)}\u00b0 (angle ${row * n}), beamlet ${column * n}`,
    });
    this.shown.push({ image, stack });
    return image;
  }

  private paint(): void {
    for (const { image, stack } of this.shown) {
      const values = stack.slice(this.slice);
      const residual = stack.packed.view === 'residual';
      const limit = residual ? largest(values) : 0;
      image.show({
        values,
        rows: stack.rows,
        columns: stack.columns,
        low: residual ? -limit : stack.packed.low,
        high: residual ? limit : stack.packed.high,
        map: residual ? 'diverging' : this.map,
        units: this.units.get(stack.packed.site) ?? '',
      });
    }
  }
}
