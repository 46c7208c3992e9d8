// ImageBoard: rows of images, one row for each view, that share zoom, cursor, line and slice. The
// owner chooses the views: for instance reconstruction and truth of one run, or several runs.
import { button, checkbox, choice, group, h, section, toggle } from '../dom';
import type { ColourMap } from './colormap';
import { keysHelp } from './image_input';
import { ImageView, type Picture } from './image_view';
import { ProfilePanel } from './line_profile';
import { difference, largest, type Stack } from './stack';
import { initialSlice, sliceControl } from './slice_slider';
import { ViewState } from './view_state';

/** A row: the stacks of view `from`, minus those of view `minus` unless that is empty. */
export interface View {
  id: string;
  text: string;
  from: string;
  minus: string;
}

export interface BoardContent {
  views: readonly View[];
  stacks: Stack[];
  /** Numbers of the slices that all stacks have. */
  slices: number[];
  notes: string[];
}

interface Shown {
  view: View;
  site: string;
  image: ImageView;
}

export class ImageBoard {
  readonly element = h('div');
  private readonly state = new ViewState();
  private readonly chosen = new Map<string, boolean>();
  private content: BoardContent = { views: [], stacks: [], slices: [], notes: [] };
  private stacks = new Map<string, Stack>();
  private sites: string[] = [];
  private shown: Shown[] = [];
  private slice = 0;
  private chosenSlice: number | undefined;
  private map: ColourMap = 'viridis';
  private sameScale = false;
  private grid = h('div');
  private profile: ProfilePanel | undefined;
  private contentKey = '';

  /** `isDefault` says whether a view is shown until the reader chooses. */
  constructor(private readonly id: string, private readonly title: string,
    private readonly isDefault: (view: View) => boolean) {}

  /** Shows the content. Repaints the existing images when only values have changed. */
  show(content: BoardContent | null): void {
    this.content = content ?? { views: [], stacks: [], slices: [], notes: [] };
    this.stacks = new Map(this.content.stacks.map((s) => [key(s.packed.site, s.packed.view), s]));
    this.sites = [...new Set(this.content.stacks.map((s) => s.packed.site))];
    const contentKey = keyOf(this.content);
    if (content && contentKey === this.contentKey) {
      this.paint();
      this.profile?.refresh();
      return;
    }
    this.contentKey = contentKey;
    this.build();
  }

  private build(): void {
    const profileSite = this.profile?.shownSite;
    this.profile?.dispose();
    this.profile = undefined;
    this.element.replaceChildren();
    this.grid = h('div', { class: 'views' });
    if (this.content.stacks.length === 0) {
      this.layout();
      return;
    }
    this.slice = initialSlice(this.content.slices, this.chosenSlice);
    this.profile = new ProfilePanel(this.state, { sites: this.sites, of: (s) => this.lines(s) },
      profileSite);
    const { notes } = this.content;
    this.element.append(section(this.id, this.title,
      notes.length > 0 ? h('p', { class: 'note' }, notes.join(' ')) : null, this.toolbar(),
      this.grid, h('p', { class: 'hint' }, keysHelp), this.profile.element));
    this.layout();
  }

  private has(view: View, site: string): boolean {
    const stack = this.stacks.get(key(site, view.from));
    if (!stack || !view.minus) return stack !== undefined;
    const other = this.stacks.get(key(site, view.minus));
    return other !== undefined && other.rows === stack.rows && other.columns === stack.columns;
  }

  private isChosen(view: View): boolean {
    return this.chosen.get(view.id) ?? this.isDefault(view);
  }

  private hasAny(view: View): boolean {
    return this.sites.some((site) => this.has(view, site));
  }

  private toolbar(): HTMLElement {
    const shown = this.content.views.filter((v) => this.hasAny(v));
    const buttons = shown.map((view) =>
      toggle(view.text, this.isChosen(view), (on) => {
        this.chosen.set(view.id, on);
        this.layout();
      }));
    const maps = choice('Colours', [{ value: 'viridis', text: 'viridis' },
      { value: 'grey', text: 'grey' }], (value) => {
      this.map = value as ColourMap;
      this.paint();
    });
    maps.select.value = this.map;
    const tool = toggle('Draw a line', this.state.tool === 'line', (on) => {
      this.state.tool = on ? 'line' : 'move';
      this.state.changed();
    });
    tool.title = 'Drag on an image to draw the profile line (or hold Shift and drag)';
    return h('div', { class: 'toolbar' },
      shown.length > 1 ? group('Images to show', ...buttons) : null,
      sliceControl(this.content.slices, this.slice, (k) => {
        this.slice = k;
        this.chosenSlice = this.content.slices[k];
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
        button('All', () => this.state.reset(), 'Show the whole image')),
      tool);
  }

  // Makes one row of images for each chosen view; with a single site, one row for all views.
  private layout(): void {
    for (const { image } of this.shown) image.dispose();
    this.shown = [];
    this.grid.replaceChildren();
    const single = this.sites.length === 1;
    let row = h('div', { class: 'row' });
    if (single) this.grid.append(row);
    for (const view of this.content.views) {
      if (!this.isChosen(view) || !this.hasAny(view)) continue;
      if (!single) {
        row = h('div', { class: 'row' });
        this.grid.append(h('h3', {}, view.text), row);
      }
      for (const site of this.sites) {
        if (!this.has(view, site)) {
          // The hint keeps the columns aligned.
          if (!single) row.append(h('p', { class: 'hint' }, `${site}: no image`));
          continue;
        }
        const image = this.makeView(view, site, single ? `${site}: ${view.text}` : site);
        this.shown.push({ view, site, image });
        row.append(image.element);
      }
    }
    this.paint();
  }

  private makeView(view: View, site: string, title: string): ImageView {
    const { rows, columns, reduction, pixel, packed } = this.stacks.get(key(site, view.from))!;
    return new ImageView({
      title,
      label: `${view.text} of ${site}, ${packed.signal ?? 'values'}, ${rows} rows and ` +
        `${columns} columns`,
      state: this.state,
      aspect: rows / columns,
      width: pixel * columns,
      position: (row, column) => `row ${row * reduction}, column ${column * reduction}`,
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
        ? this.differenceRange(shown, values)
        : this.imageRange(stack.packed.units ?? '', shown.site);
      const picture: Picture = {
        values: values[k]!, rows: stack.rows, columns: stack.columns, ...range,
        map: shown.view.minus ? 'diverging' : this.map, units: stack.packed.units ?? '',
      };
      shown.image.show(picture);
    });
  }

  // One range for all slices and all views of a site, so that they can be compared. With "Same
  // colour scale", one range for all sites whose images have the same unit.
  private imageRange(units: string, site: string): { low: number; high: number } {
    const packed = this.content.stacks.map((s) => s.packed).filter((s) =>
      this.sameScale ? s.units === units : s.site === site);
    return {
      low: Math.min(...packed.map((s) => s.low)),
      high: Math.max(...packed.map((s) => s.high)),
    };
  }

  // Symmetric about 0.
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

  // Profile lines of a site: all views except differences.
  private lines(site: string): { text: string; stack: Stack; values: Float32Array }[] {
    return this.content.views.flatMap((view) => {
      const stack = view.minus ? undefined : this.stacks.get(key(site, view.from));
      return stack ? [{ text: view.text, stack, values: stack.slice(this.slice) }] : [];
    });
  }
}

function key(site: string, view: string): string {
  return `${site}\n${view}`;
}

// Everything but the values, to detect when the images must be rebuilt.
function keyOf(content: BoardContent): string {
  return JSON.stringify([content.views, content.slices, content.notes, content.stacks.map((s) =>
    [s.packed.site, s.packed.view, s.rows, s.columns, s.pixel, s.packed.units])]);
}
