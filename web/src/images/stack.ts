// Stack: the values of a packed stack of images or sinograms, decoded on first use.
import type { PackedStack } from '../document';

/** Stands for NaN in a stack of 16 bits. */
const nanCode = 65535;

function decode(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < bytes.length; ++k) bytes[k] = binary.charCodeAt(k);
  return bytes;
}

export class Stack {
  private all: Float32Array | undefined;

  /** `order` lists the indices of the slices to use; default: all. */
  constructor(
    readonly packed: PackedStack,
    /** Each value is the mean of `reduction` x `reduction` pixels. */
    readonly reduction = 1,
    /** Size in cm of a reconstructed pixel. */
    readonly pixelSize = 0,
    private readonly order?: number[],
  ) {}

  get rows(): number {
    return this.packed.rows;
  }
  get columns(): number {
    return this.packed.columns;
  }
  /** Size in cm of a pixel on this page. */
  get pixel(): number {
    return this.pixelSize * this.reduction;
  }

  /** Values of slice `k`, an index into `order`. */
  slice(k: number): Float32Array {
    this.all ??= this.values();
    const size = this.rows * this.columns;
    const own = this.order ? this.order[k]! : k;
    return this.all.subarray(own * size, (own + 1) * size);
  }

  private values(): Float32Array {
    const bytes = decode(this.packed.values);
    const view = new DataView(bytes.buffer);
    const count = bytes.length / (this.packed.bits / 8);
    const values = new Float32Array(count);
    const { base = 0, step = 0 } = this.packed;
    for (let k = 0; k < count; ++k) {
      if (this.packed.bits === 32) {
        values[k] = view.getFloat32(4 * k, true);
      } else {
        const word = view.getUint16(2 * k, true);
        values[k] = word === nanCode ? NaN : base + word * step;
      }
    }
    return values;
  }
}

export function difference(a: Float32Array, b: Float32Array): Float32Array {
  return a.map((value, k) => value - b[k]!);
}

/** Largest absolute value; ignores NaN. */
export function largest(values: Float32Array): number {
  let most = 0;
  for (const value of values) {
    const size = Math.abs(value);
    if (size > most) most = size;
  }
  return most;
}

export function distance(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; ++k) sum += (a[k]! - b[k]!) ** 2;
  return Math.sqrt(sum);
}
