// What all images of a panel have in common: where they are zoomed to, the cursor, the line.
// Places are parts of an image's width and height, so that images of different size share them.

export interface Place {
  x: number;
  y: number;
}

export interface Line {
  from: Place;
  to: Place;
}

export type Tool = 'move' | 'line';

const mostZoom = 64;

export class ViewState {
  zoom = 1;
  centre: Place = { x: 0.5, y: 0.5 };
  cursor: Place | null = null;
  line: Line | null = null;
  tool: Tool = 'move';
  private readonly listeners = new Set<() => void>();

  /** Gives back what ends it. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  /** `fixed` stays where it is. */
  zoomBy(factor: number, fixed: Place = this.centre): void {
    const before = this.zoom;
    this.zoom = Math.min(mostZoom, Math.max(1, before * factor));
    const keep = (c: number, f: number) => f + ((c - f) * before) / this.zoom;
    this.moveTo({ x: keep(this.centre.x, fixed.x), y: keep(this.centre.y, fixed.y) });
  }

  /** The part that is seen stays within the image. */
  moveTo(centre: Place): void {
    const half = 0.5 / this.zoom;
    const inside = (c: number) => Math.min(1 - half, Math.max(half, c));
    this.centre = { x: inside(centre.x), y: inside(centre.y) };
    this.changed();
  }

  reset(): void {
    this.zoom = 1;
    this.moveTo({ x: 0.5, y: 0.5 });
  }

  setCursor(place: Place | null): void {
    this.cursor = place;
    // A cursor that leaves what is seen takes the view with it.
    if (place) {
      const half = 0.5 / this.zoom;
      const follow = (c: number, p: number) => Math.min(p + half, Math.max(p - half, c));
      this.moveTo({ x: follow(this.centre.x, place.x), y: follow(this.centre.y, place.y) });
    } else {
      this.changed();
    }
  }

  setLine(line: Line): void {
    this.line = line;
    this.changed();
  }
}
