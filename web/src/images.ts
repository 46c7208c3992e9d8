// The images of all sites side by side: reconstruction, truth, each site alone, and differences.
import { button, checkbox, choice, group, h, section, toggle } from './dom';
import type { ColourMap } from './colormap';
import type { RunDocument, StackSet } from './document';
import { keysHelp } from './image_input';
import { ImageView, type Picture } from './image_view';
import type { Panel } from './panel';
import { ProfilePanel } from './profile';
import { difference, largest, Stack } from './stack';
import { firstSlice, sliceControl } from './slices';
import { ViewState } from './view_state';

/** What can be shown of a site; `minus` names what is subtracted from the reconstruction. */
const views = [
  { id: 'reconstruction', text: 'Reconstruction', from: 'reconstruction', minus: '' },
  { id: 'truth', text: 'Truth', from: 'truth', minus: '' },
  { id: 'alone', text: 'Each site alone', from: 'alone', minus: '' },
  { id: 'minus-truth', text: 'Reconstruction \u2212 truth', from: 'reconstruction', minus: 'truth' },
  { id: 'minus-alone', text: 'Reconstruction \u2212 alone', from: 'reconstruction', minus: 'alone' },
] as const;
type View = (typeof views)[number];

interface Shown {
  view: View;
  site: string;
  image: ImageView;
}

export class ImagesPanel implements Panel {
  readonly element = h('div', { 'data-panel': 'images' });
  private readonly state = new ViewState();
  private readonly chosen = new Set<string>(['reconstruction', 'truth']);
  private stacks = new Map<string, Stack>();
  private sites: string[] = [];
  private shown: Shown[] = [];
  private set: StackSet | undefined;
  private slice = 0;
  private chosenSlice: number | undefined;
  private map: ColourMap = 'viridis';
  private sameScale = false;
  private grid = h('div');
  private profile: ProfilePanel | undefined;

  update(run: RunDocument): void {
    const set = run.images;
    this.element.replaceChildren();
    if (!set) return;
    this.set = set;
    this.stacks = new Map(set.stacks.map((s) => [key(s.site, s.view), new Stack(s)]));
    this.sites = [...new Set(set.stacks.map((s) => s.site))];
    this.slice = firstSlice(set, this.chosenSlice);
    this.profile?.end();
    this.profile = new ProfilePanel(this.state, this.profileSource());
    this.grid = h('div', { class: 'views' });
    this.element.append(section('images', 'Images', this.notes(set), this.toolbar(set), this.grid,
      h('p', { class: 'hint' }, keysHelp), this.profile.element));
    this.layout();
  }

  private notes(set: StackSet): HTMLElement | null {
    const notes: string[] = [];
    if (set.stacks.some((s) => s.bits === 16)) {
      notes.push('Values are rounded to 65 535 steps between the smallest and the largest of each ' +
        'site, so that the page stays small; images.h5 has them in full.');
    }
    if (set.slices.length < set.all_slices) {
      notes.push(`${set.slices.length} of ${set.all_slices} slices are shown.`);
    }
    if (set.reduction > 1) {
      notes.push(`A pixel here is the mean of ${set.reduction} \u00d7 ${set.reduction} pixels.`);
    }
    return notes.length > 0 ? h('p', { class: 'note' }, notes.join(' ')) : null;
  }

  private has(view: View): boolean {
    return this.sites.some((site) => this.stacks.has(key(site, view.from)) &&
      (view.minus === '' || this.stacks.has(key(site, view.minus))));
  }

  private toolbar(set: StackSet): HTMLElement {
    const shown = views.filter((v) => this.has(v));
    const buttons = shown.map((view) =>
      toggle(view.text, this.chosen.has(view.id), (on) => {
        if (on) this.chosen.add(view.id);
        else this.chosen.delete(view.id);
        this.layout();
      }));
    const maps = choice('Colours', [{ value: 'viridis', text: 'viridis' },
      { value: 'grey', text: 'grey' }], (value) => {
      this.map = value as ColourMap;
      this.paint();
    });
    const tool = toggle('Draw a line', this.state.tool === 'line', (on) => {
      this.state.tool = on ? 'line' : 'move';
      this.state.changed();
    });
    tool.title = 'Drag on an image to draw the line of the profile (Shift and drag does it, too)';
    return h('div', { class: 'toolbar' },
      shown.length > 1 ? group('What to show', ...buttons) : null,
      sliceControl(set, this.slice, (k) => {
        this.slice = this.chosenSlice = k;
        this.paint();
        this.profile?.refresh();
      }),
      group('Colours', maps.element, checkbox('Same colour scale', this.sameScale, (on) => {
        this.sameScale = on;
        this.paint();
      })),
      group('Zoom',
        button('\u2212', () => this.state.zoomBy(1 / 1.5), 'Zoom out'),
        button('+', () => this.state.zoomBy(1.5), 'Zoom in'),
        button('All', () => this.state.reset(), 'Show all of the image')),
      tool);
  }

  // One row of images for each view that is chosen; of a single site, all views in one row.
  private layout(): void {
    for (const { image } of this.shown) image.end();
    this.shown = [];
    this.grid.replaceChildren();
    const single = this.sites.length === 1;
    let row = h('div', { class: 'row' });
    if (single) this.grid.append(row);
    for (const view of views) {
      if (!this.chosen.has(view.id) || !this.has(view)) continue;
      if (!single) {
        row = h('div', { class: 'row' });
        this.grid.append(h('h3', {}, view.text), row);
      }
      for (const site of this.sites) {
        const stack = this.stacks.get(key(site, view.from));
        if (!stack || (view.minus && !this.stacks.has(key(site, view.minus)))) continue;
        const image = this.makeView(view, site, stack, single ? `${site}: ${view.text}` : site);
        this.shown.push({ view, site, image });
        row.append(image.element);
      }
    }
    this.paint();
  }

  private makeView(view: View, site: string, stack: Stack, title: string): ImageView {
    const n = this.set!.reduction;
    const pixel = (this.set!.pixel_size ?? 0) * n;
    const { rows, columns } = stack;
    return new ImageView({
      title,
      label: `${view.text} of ${site}, ${stack.packed.signal ?? 'values'}, ${rows} rows and ` +
        `${columns} columns`,
      state: this.state,
      aspect: rows / columns,
      width: pixel * columns,
      place: (row, column) => `row ${row * n}, column ${column * n}`,
    });
  }

  private values(view: View, site: string): Float32Array {
    const values = this.stacks.get(key(site, view.from))!.slice(this.slice);
    if (!view.minus) return values;
    return difference(values, this.stacks.get(key(site, view.minus))!.slice(this.slice));
  }

  private paint(): void {
    const values = this.shown.map((s) => this.values(s.view, s.site));
    this.shown.forEach((shown, k) => {
      const stack = this.stacks.get(key(shown.site, shown.view.from))!;
      const range = shown.view.minus
        ? this.differenceRange(shown, values) : this.imageRange(stack.packed.units ?? '', shown.site);
      const picture: Picture = {
        values: values[k]!, rows: stack.rows, columns: stack.columns, ...range,
        map: shown.view.minus ? 'diverging' : this.map, units: stack.packed.units ?? '',
      };
      shown.image.show(picture);
    });
  }

  // Of all slices, and of all that is known of a site, so that its images can be compared; on
  // request, of all sites whose images have the same unit.
  private imageRange(units: string, site: string): { low: number; high: number } {
    const stacks = this.set!.stacks.filter((s) =>
      this.sameScale ? s.units === units : s.site === site);
    return {
      low: Math.min(...stacks.map((s) => s.low)),
      high: Math.max(...stacks.map((s) => s.high)),
    };
  }

  // The same on both sides of 0.
  private differenceRange(of: Shown, values: Float32Array[]): { low: number; high: number } {
    const units = (s: Shown) => this.stacks.get(key(s.site, s.view.from))!.packed.units;
    let most = 0;
    this.shown.forEach((shown, k) => {
      const compared = shown.view.minus !== '' && (this.sameScale
        ? units(shown) === units(of) : shown.site === of.site);
      if (compared) most = Math.max(most, largest(values[k]!));
    });
    return { low: -most, high: most };
  }

  private profileSource() {
    return {
      sites: this.sites,
      pixel: (this.set!.pixel_size ?? 0) * this.set!.reduction,
      reduction: this.set!.reduction,
      of: (site: string) => views.flatMap((view) => {
        const stack = view.minus ? undefined : this.stacks.get(key(site, view.from));
        return stack ? [{ text: view.text, stack, values: stack.slice(this.slice) }] : [];
      }),
    };
  }
}

function key(site: string, view: string): string {
  return `${site}\n${view}`;
}
