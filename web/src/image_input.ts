// Pointer and keys on an image.
import type { ImageView } from './image_view';
import type { Place } from './view_state';

export const keysHelp =
  'On an image: arrows move the cursor (with Shift by ten pixels), + and \u2212 zoom, 0 shows all, ' +
  'a and b set the ends of the line. Ctrl and the wheel, or two fingers, zoom, too.';

const wheelStep = 1.2;

function onCanvas(view: ImageView, event: MouseEvent): Place {
  const box = view.canvas.getBoundingClientRect();
  return { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
}

function inside(place: Place): Place {
  const clamp = (v: number) => Math.min(1 - 1e-9, Math.max(0, v));
  return { x: clamp(place.x), y: clamp(place.y) };
}

function middle(points: Iterable<Place>): { centre: Place; spread: number } {
  const [a, b] = [...points] as [Place, Place];
  return {
    centre: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 },
    spread: Math.hypot(a.x - b.x, a.y - b.y),
  };
}

/** Gives back what ends its part in the state; the rest ends with the canvas. */
export function pointerAndKeys(view: ImageView): () => void {
  const { canvas, options: { state } } = view;
  const pointers = new Map<number, Place>();
  let start: Place | null = null; // of a line, in the image

  // Fingers scroll the page unless they have something to do in the image.
  const setTouch = () => {
    canvas.style.touchAction = state.tool === 'line' || state.zoom > 1 ? 'none' : 'pan-y';
  };
  const ending = state.onChange(setTouch);
  setTouch();

  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, onCanvas(view, event));
    start = state.tool === 'line' || event.shiftKey
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
      if (start) {
        state.setLine({ from: start, to: inside(view.toImage(now)) });
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
    start = null;
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
      view.speak();
    }
  });
  return ending;
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
    // To the middle of a pixel, so that rounding does not matter.
    const move = (part: number, by: number, count: number) => {
      const pixel = Math.floor(part * count) + by * steps;
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
