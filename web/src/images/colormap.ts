// Maps a value between 0 and 1 to a colour, with the anchors of src/report/pictures/colormap.cc.

export type ColourMap = 'viridis' | 'grey' | 'diverging';

// Viridis: S. van der Walt and N. Smith, 2015, CC0.
const anchors: Record<ColourMap, string[]> = {
  viridis: ['440154', '472d7b', '3b528b', '2c728e', '21908c', '27ad81', '5dc863', 'aadc32',
    'fde725'],
  grey: ['000000', 'ffffff'],
  diverging: ['122f6b', '4a86c5', 'ffffff', 'd96b4e', '7a1120'],
};

export const notANumber: readonly [number, number, number] = [255, 0, 255];

export function colourAt(map: ColourMap, t: number): [number, number, number] {
  const list = anchors[map];
  const position = Math.min(1, Math.max(0, t)) * (list.length - 1);
  const left = Math.min(Math.floor(position), list.length - 2);
  const fraction = position - left;
  const byte = (hex: string, k: number) => parseInt(hex.slice(2 * k, 2 * k + 2), 16);
  const mix = (k: number) => {
    const a = byte(list[left]!, k);
    return Math.round(a + (byte(list[left + 1]!, k) - a) * fraction);
  };
  return [mix(0), mix(1), mix(2)];
}

// Odd, so that one step is exactly the middle: in a difference only 0 is white.
const steps = 257;
const tables = new Map<ColourMap, Uint32Array>();

// All colours as 32-bit words of an ImageData, in the byte order of the machine.
function table(map: ColourMap): Uint32Array {
  let words = tables.get(map);
  if (words) return words;
  words = new Uint32Array(steps);
  const bytes = new Uint8ClampedArray(words.buffer);
  for (let k = 0; k < steps; ++k) bytes.set([...colourAt(map, k / (steps - 1)), 255], 4 * k);
  tables.set(map, words);
  return words;
}

/** Colours values from low to high. Values outside get the colour of the nearest end. */
export function paint(
  image: ImageData,
  values: ArrayLike<number>,
  low: number,
  high: number,
  map: ColourMap,
): void {
  const words = new Uint32Array(image.data.buffer);
  const colours = table(map);
  const magenta = new Uint32Array(new Uint8ClampedArray([...notANumber, 255]).buffer)[0]!;
  const scale = high > low ? (steps - 1) / (high - low) : 0;
  // A difference whose values are all equal is 0 everywhere: use the middle colour.
  const lowest = map === 'diverging' && scale === 0 ? (steps - 1) / 2 : 0;
  for (let k = 0; k < words.length; ++k) {
    const t = lowest + (values[k]! - low) * scale;
    words[k] = Number.isNaN(t)
      ? magenta
      : colours[t < 0 ? 0 : t > steps - 1 ? steps - 1 : Math.round(t)]!;
  }
}

/** Draws all colours into one row of pixels, for a colour bar. */
export function colourBar(canvas: HTMLCanvasElement, map: ColourMap): void {
  canvas.width = steps;
  canvas.height = 1;
  const image = new ImageData(steps, 1);
  paint(image, Array.from({ length: steps }, (_, k) => k), 0, steps - 1, map);
  canvas.getContext('2d')?.putImageData(image, 0, 0);
}
