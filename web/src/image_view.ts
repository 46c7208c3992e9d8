// One image: a canvas with zoom, cursor and line, its colour bar, and the value under the cursor.
import { colourBar, paint, type ColourMap } from './colormap';
import { h } from './dom';
import { number, unit, length, roundLength } from './format';
import { pointerAndKeys } from './image_input';
import type { Place, ViewState } from './view_state';

export interface Picture {
  values: Float32Array;
  rows: number;
  columns: number;
  low: number;
  high: number;
  map: ColourMap;
  units: string;
}

export interface ImageViewOptions {
  title: string;
  /** What the image shows, for those who do not see it. */
  label: string;
  state: ViewState;
  /** Height over width. */
  aspect: number;
  /** Width of the image in cm, for a scale bar; without: none. */
  width?: number;
  /** Says where a pixel is. */
  place: (row: number, column: number) => string;
}

export class ImageView {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  private readonly readout = h('output', { class: 'readout', 'aria-live': 'off' });
  private readonly bar = h('canvas', { class: 'bar', 'aria-hidden': 'true' });
  private readonly ends = [h('span'), h('span'), h('span')] as const;
  private readonly pixels = document.createElement('canvas');
  private picture: Picture | undefined;
  private readonly endings: (() => void)[];
  private waiting = false;

  constructor(readonly options: ImageViewOptions) {
    this.canvas = h('canvas', { class: 'image', tabindex: 0, role: 'img',
      'aria-label': options.label, 'aria-roledescription': 'zoomable image' });
    this.element = h('figure', { class: 'view' },
      h('figcaption', {}, options.title), this.canvas, this.bar,
      h('div', { class: 'ends' }, ...this.ends), this.readout);
    const resized = new ResizeObserver(() => this.redraw());
    resized.observe(this.canvas);
    this.endings = [pointerAndKeys(this), options.state.onChange(() => this.redraw()),
      () => resized.disconnect()];
  }

  /** It is not needed any more. */
  end(): void {
    for (const ending of this.endings) ending();
  }

  show(picture: Picture): void {
    this.picture = picture;
    this.pixels.width = picture.columns;
    this.pixels.height = picture.rows;
    const image = new ImageData(picture.columns, picture.rows);
    paint(image, picture.values, picture.low, picture.high, picture.map);
    this.pixels.getContext('2d')?.putImageData(image, 0, 0);
    colourBar(this.bar, picture.map);
    const { low, high } = picture;
    const middle = `${number((low + high) / 2, 3)} ${unit(picture.units)}`.trim();
    [number(low, 3), middle, number(high, 3)].forEach((text, k) => {
      this.ends[k]!.textContent = text;
    });
    this.redraw();
  }

  get size(): { rows: number; columns: number } {
    return { rows: this.picture?.rows ?? 1, columns: this.picture?.columns ?? 1 };
  }

  /** Place in the image of a place on the canvas, both as parts of the whole. */
  toImage(onCanvas: Place): Place {
    const { zoom, centre } = this.options.state;
    return { x: centre.x + (onCanvas.x - 0.5) / zoom, y: centre.y + (onCanvas.y - 0.5) / zoom };
  }

  redraw(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  private draw(): void {
    if (!this.picture) return;
    const width = this.canvas.clientWidth;
    const height = Math.round(width * this.options.aspect);
    const ratio = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const context = this.canvas.getContext('2d');
    if (!context || width === 0) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { zoom, centre } = this.options.state;
    const box = { x: width * (0.5 - centre.x * zoom), y: height * (0.5 - centre.y * zoom),
      width: width * zoom, height: height * zoom };
    context.imageSmoothingEnabled = zoom * width * ratio < this.picture.columns;
    context.drawImage(this.pixels, box.x, box.y, box.width, box.height);
    this.drawLine(context, box);
    this.drawCursor(context, box);
    if (this.options.width) this.drawScale(context, height, box.width);
    this.tell();
  }

  private drawLine(context: CanvasRenderingContext2D, box: DOMRectInit): void {
    const line = this.options.state.line;
    if (!line) return;
    const at = (p: Place) => [box.x! + p.x * box.width!, box.y! + p.y * box.height!] as const;
    outlined(context, () => {
      context.moveTo(...at(line.from));
      context.lineTo(...at(line.to));
    }, 0.75);
    const width = this.canvas.clientWidth;
    for (const [name, place] of [['A', line.from], ['B', line.to]] as const) {
      text(context, name, Math.min(width - 14, Math.max(4, at(place)[0] + 4)),
        Math.max(14, at(place)[1] - 4));
    }
  }

  // A frame around the pixel, and lines that lead to it.
  private drawCursor(context: CanvasRenderingContext2D, box: DOMRectInit): void {
    const cursor = this.pixelUnderCursor();
    if (!cursor) return;
    const { rows, columns } = this.size;
    const w = box.width! / columns;
    const ht = box.height! / rows;
    const x = box.x! + cursor.column * w;
    const y = box.y! + cursor.row * ht;
    const gap = 6;
    const arm = 12;
    outlined(context, () => {
      context.rect(x, y, w, ht);
      const [cx, cy] = [x + w / 2, y + ht / 2];
      for (const side of [-1, 1]) {
        context.moveTo(cx + side * (w / 2 + gap), cy);
        context.lineTo(cx + side * (w / 2 + gap + arm), cy);
        context.moveTo(cx, cy + side * (ht / 2 + gap));
        context.lineTo(cx, cy + side * (ht / 2 + gap + arm));
      }
    }, 1);
  }

  private drawScale(context: CanvasRenderingContext2D, height: number, shown: number): void {
    const perCm = shown / this.options.width!;
    const cm = roundLength((this.canvas.clientWidth * 0.3) / perCm);
    const [x, y] = [10, height - 10];
    outlined(context, () => {
      context.moveTo(x, y);
      context.lineTo(x + cm * perCm, y);
    }, 3);
    text(context, length(cm), x, y - 6);
  }

  private pixelUnderCursor(): { row: number; column: number } | null {
    const cursor = this.options.state.cursor;
    if (!cursor) return null;
    const { rows, columns } = this.size;
    const within = (part: number, count: number) =>
      Math.min(count - 1, Math.max(0, Math.floor(part * count)));
    return { row: within(cursor.y, rows), column: within(cursor.x, columns) };
  }

  private tell(): void {
    const at = this.pixelUnderCursor();
    if (!at || !this.picture) {
      this.readout.textContent = '\u00a0';
      return;
    }
    const value = this.picture.values[at.row * this.picture.columns + at.column]!;
    this.readout.textContent =
      `${number(value, 6)} ${unit(this.picture.units)} at ${this.options.place(at.row, at.column)}`;
    this.readout.dataset['value'] = String(value);
    this.readout.dataset['row'] = String(at.row);
    this.readout.dataset['column'] = String(at.column);
  }

  /** Lets a screen reader say what the keys have found. */
  speak(): void {
    this.readout.setAttribute('aria-live', 'polite');
  }
}

// Seen on dark and on light ground.
function outlined(context: CanvasRenderingContext2D, path: () => void, width: number): void {
  for (const [colour, more] of [['rgba(0, 0, 0, 0.6)', 2], ['#fff', 0]] as const) {
    context.beginPath();
    path();
    context.lineWidth = width + more;
    context.strokeStyle = colour;
    context.stroke();
  }
}

function text(context: CanvasRenderingContext2D, what: string, x: number, y: number): void {
  context.font = '600 12px system-ui, sans-serif';
  context.lineWidth = 3;
  context.lineJoin = 'round';
  context.strokeStyle = 'rgba(0, 0, 0, 0.75)';
  context.strokeText(what, x, y);
  context.fillStyle = '#fff';
  context.fillText(what, x, y);
}
