// ViewState: zoom, cursor and line that all images of a panel share. Points are fractions of the
// image's width and height, so that images of different sizes can share them.

export interface Point {
  x: number;
  y: number;
}

export interface Line {
  from: Point;
  to: Point;
}

export type Tool = 'move' | 'line';

const mostZoom = 64;

export class ViewState {
  zoom = 1;
  centre: Point = { x: 0.5, y: 0.5 };
  cursor: Point | null = null;
  line: Line | null = null;
  tool: Tool = 'move';
  private readonly listeners = new Set<() => void>();

  /** Call the returned function to stop listening. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  /** The point `fixed` keeps its position on the screen. */
  zoomBy(factor: number, fixed: Point = this.centre): void {
    const before = this.zoom;
    this.zoom = Math.min(mostZoom, Math.max(1, before * factor));
    const keep = (c: number, f: number) => f + ((c - f) * before) / this.zoom;
    this.moveTo({ x: keep(this.centre.x, fixed.x), y: keep(this.centre.y, fixed.y) });
  }

  /** Keeps the visible part within the image. */
  moveTo(centre: Point): void {
    const half = 0.5 / this.zoom;
    const inside = (c: number) => Math.min(1 - half, Math.max(half, c));
    this.centre = { x: inside(centre.x), y: inside(centre.y) };
    this.changed();
  }

  reset(): void {
    this.zoom = 1;
    this.moveTo({ x: 0.5, y: 0.5 });
  }

  setCursor(point: Point | null): void {
    this.cursor = point;
    // The view follows a cursor that leaves the visible part.
    if (point) {
      const half = 0.5 / this.zoom;
      const follow = (c: number, p: number) => Math.min(p + half, Math.max(p - half, c));
      this.moveTo({ x: follow(this.centre.x, point.x), y: follow(this.centre.y, point.y) });
    } else {
      this.changed();
    }
  }

  setLine(line: Line): void {
    this.line = line;
    this.changed();
  }
}
