// Pointer and keyboard input on an image.
import type { ImageView } from './image_view';
import type { Point } from './view_state';

export const keysHelp =
  'On an image: arrow keys move the cursor (with Shift: ten pixels), + and \u2212 zoom, 0 shows the ' +
  'whole image, a and b set the ends of the line. Ctrl + wheel or two fingers also zoom.';

const wheelStep = 1.2;

function onCanvas(view: ImageView, event: MouseEvent): Point {
  const box = view.canvas.getBoundingClientRect();
  return { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
}

function inside(point: Point): Point {
  const clamp = (v: number) => Math.min(1 - 1e-9, Math.max(0, v));
  return { x: clamp(point.x), y: clamp(point.y) };
}

function middle(points: Iterable<Point>): { centre: Point; spread: number } {
  const [a, b] = [...points] as [Point, Point];
  return {
    centre: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 },
    spread: Math.hypot(a.x - b.x, a.y - b.y),
  };
}

/** Listens to pointer and keys on the canvas. Call the returned function to stop listening to the
 *  shared state; the other listeners go away with the canvas. */
export function listenForInput(view: ImageView): () => void {
  const { canvas, options: { state } } = view;
  const pointers = new Map<number, Point>();
  let lineStart: Point | null = null; // in image coordinates

  // Fingers scroll the page unless they draw a line or move a zoomed image.
  const setTouch = () => {
    canvas.style.touchAction = state.tool === 'line' || state.zoom > 1 ? 'none' : 'pan-y';
  };
  const stopListening = state.onChange(setTouch);
  setTouch();

  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, onCanvas(view, event));
    lineStart = state.tool === 'line' || event.shiftKey
      ? inside(view.toImage(onCanvas(view, event))) : null;
  });

  canvas.addEventListener('pointermove', (event) => {
    const now = onCanvas(view, event);
    const before = pointers.get(event.pointerId);
    if (before && pointers.size === 2) {
      const was = middle(pointers.values());
      pointers.set(event.pointerId, now);
      const is = middle(pointers.values());
      state.zoomBy(is.spread / Math.max(was.spread, 1e-3), view.toImage(is.centre));
      return;
    }
    if (before) {
      pointers.set(event.pointerId, now);
      if (lineStart) {
        state.setLine({ from: lineStart, to: inside(view.toImage(now)) });
      } else {
        state.moveTo({
          x: state.centre.x - (now.x - before.x) / state.zoom,
          y: state.centre.y - (now.y - before.y) / state.zoom,
        });
      }
    }
    state.cursor = inside(view.toImage(now));
    state.changed();
  });

  const up = (event: PointerEvent) => {
    pointers.delete(event.pointerId);
    lineStart = null;
  };
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointercancel', up);
  canvas.addEventListener('pointerleave', (event) => {
    if (event.pointerType === 'mouse' && document.activeElement !== canvas) state.setCursor(null);
  });

  canvas.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    state.zoomBy(event.deltaY < 0 ? wheelStep : 1 / wheelStep,
      inside(view.toImage(onCanvas(view, event))));
  }, { passive: false });

  canvas.addEventListener('dblclick', (event) => {
    state.zoomBy(2, inside(view.toImage(onCanvas(view, event))));
  });

  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (handleKey(view, event)) {
      event.preventDefault();
      view.announce();
    }
  });
  return stopListening;
}

function handleKey(view: ImageView, event: KeyboardEvent): boolean {
  const { state } = view.options;
  const { rows, columns } = view.size;
  const arrows: Record<string, [number, number]> = {
    ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
  };
  const arrow = arrows[event.key];
  const cursor = state.cursor ?? state.centre;
  if (arrow) {
    const steps = event.shiftKey ? 10 : 1;
    // Moves to the middle of a pixel, so that rounding does not matter.
    const move = (relative: number, by: number, count: number) => {
      const pixel = Math.floor(relative * count) + by * steps;
      return (Math.min(count - 1, Math.max(0, pixel)) + 0.5) / count;
    };
    state.setCursor({ x: move(cursor.x, arrow[0], columns), y: move(cursor.y, arrow[1], rows) });
    return true;
  }
  switch (event.key) {
    case '+':
    case '=':
      state.zoomBy(1.5, cursor);
      return true;
    case '-':
      state.zoomBy(1 / 1.5, cursor);
      return true;
    case '0':
      state.reset();
      return true;
    case 'a':
      state.setLine({ from: cursor, to: state.line?.to ?? cursor });
      return true;
    case 'b':
      state.setLine({ from: state.line?.from ?? cursor, to: cursor });
      return true;
    case 'Escape':
      state.setCursor(null);
      return true;
    default:
      return false;
  }
}
