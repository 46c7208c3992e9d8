// ImageView: one image on a canvas with zoom, cursor and line, a colour bar, and a readout of the
// value under the cursor.
import { colourBar, paint, type ColourMap } from './colormap';
import { h } from '../dom';
import { number, unit, length, roundLength } from '../format';
import { listenForInput } from './image_input';
import type { Point, ViewState } from './view_state';

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
  /** Description of the image for screen readers. */
  label: string;
  state: ViewState;
  /** Height over width. */
  aspect: number;
  /** Width of the image in cm; adds a scale bar. */
  width?: number;
  /** Describes the position of a pixel for the readout. */
  position: (row: number, column: number) => string;
}

export class ImageView {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  private readonly readout = h('output', { class: 'readout', 'aria-live': 'off' });
  private readonly bar = h('canvas', { class: 'bar', 'aria-hidden': 'true' });
  private readonly ends = [h('span'), h('span'), h('span')] as const;
  private readonly pixels = document.createElement('canvas');
  private picture: Picture | undefined;
  private readonly cleanups: (() => void)[];
  private redrawRequested = false;

  constructor(readonly options: ImageViewOptions) {
    this.canvas = h('canvas', { class: 'image', tabindex: 0, role: 'img',
      'aria-label': options.label, 'aria-roledescription': 'zoomable image' });
    this.element = h('figure', { class: 'view' },
      h('figcaption', {}, options.title), this.canvas, this.bar,
      h('div', { class: 'ends' }, ...this.ends), this.readout);
    const resized = new ResizeObserver(() => this.redraw());
    resized.observe(this.canvas);
    this.cleanups = [listenForInput(this), options.state.onChange(() => this.redraw()),
      () => resized.disconnect()];
  }

  /** Removes listeners; call it when the element is removed. */
  dispose(): void {
    for (const cleanup of this.cleanups) cleanup();
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

  /** Converts a point on the canvas to a point in the image; both are fractions of the whole. */
  toImage(onCanvas: Point): Point {
    const { zoom, centre } = this.options.state;
    return { x: centre.x + (onCanvas.x - 0.5) / zoom, y: centre.y + (onCanvas.y - 0.5) / zoom };
  }

  redraw(): void {
    if (this.redrawRequested) return;
    this.redrawRequested = true;
    requestAnimationFrame(() => {
      this.redrawRequested = false;
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
    this.updateReadout();
  }

  private drawLine(context: CanvasRenderingContext2D, box: DOMRectInit): void {
    const line = this.options.state.line;
    if (!line) return;
    const at = (p: Point) => [box.x! + p.x * box.width!, box.y! + p.y * box.height!] as const;
    outlined(context, () => {
      context.moveTo(...at(line.from));
      context.lineTo(...at(line.to));
    }, 0.75);
    const width = this.canvas.clientWidth;
    for (const [name, point] of [['A', line.from], ['B', line.to]] as const) {
      text(context, name, Math.min(width - 14, Math.max(4, at(point)[0] + 4)),
        Math.max(14, at(point)[1] - 4));
    }
  }

  // Draws a frame around the pixel and a cross hair.
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
    const within = (relative: number, count: number) =>
      Math.min(count - 1, Math.max(0, Math.floor(relative * count)));
    return { row: within(cursor.y, rows), column: within(cursor.x, columns) };
  }

  private updateReadout(): void {
    const at = this.pixelUnderCursor();
    if (!at || !this.picture) {
      this.readout.textContent = '\u00a0';
      return;
    }
    const value = this.picture.values[at.row * this.picture.columns + at.column]!;
    this.readout.textContent =
      `${number(value, 6)} ${unit(this.picture.units)} at ${this.options.position(at.row, at.column)}`;
    this.readout.dataset['value'] = String(value);
    this.readout.dataset['row'] = String(at.row);
    this.readout.dataset['column'] = String(at.column);
  }

  /** Lets screen readers read the readout aloud after a key press. */
  announce(): void {
    this.readout.setAttribute('aria-live', 'polite');
  }
}

// Draws a white path with a dark outline, visible on dark and on light ground.
function outlined(context: CanvasRenderingContext2D, path: () => void, width: number): void {
  for (const [colour, more] of [['rgba(0, 0, 0, 0.6)', 2], ['#fff', 0]] as const) {
    context.beginPath();
    path();
    context.lineWidth = width + more;
    context.strokeStyle = colour;
    context.stroke();
  }
}

function text(context: CanvasRenderingContext2D, label: string, x: number, y: number): void {
  context.font = '600 12px system-ui, sans-serif';
  context.lineWidth = 3;
  context.lineJoin = 'round';
  context.strokeStyle = 'rgba(0, 0, 0, 0.75)';
  context.strokeText(label, x, y);
  context.fillStyle = '#fff';
  context.fillText(label, x, y);
}
