// Formats numbers for the page.

/** Formats with `digits` significant digits, and with an exponent for very small or large values. */
export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '\u2013';
  if (!Number.isFinite(value)) return value > 0 ? '\u221e' : '\u2212\u221e';
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text = size >= 1e-3 && size < 1e5
    ? String(Number(value.toPrecision(digits)))
    : value.toExponential(digits - 1).replace(/\.?0+e/, 'e').replace('e+', 'e');
  return text.replace('-', '\u2212').replace('e-', 'e\u2212');
}

/** Writes a value with its uncertainty: "3.97 \u00b1 0.05", "(4.31 \u00b1 0.12)e\u22127". Both have the
 *  decimals of the first two digits of the uncertainty, six at the most. */
export function withUncertainty(value: number, uncertainty: number | null | undefined): string {
  if (uncertainty === null || uncertainty === undefined || !Number.isFinite(uncertainty)) {
    return `${number(value)} \u00b1 unknown`;
  }
  const size = Math.max(Math.abs(value), uncertainty);
  const exponent = size === 0 || (size >= 1e-3 && size < 1e5) ? 0 : Math.floor(Math.log10(size));
  const [v, u] = [value, uncertainty].map((x) => x / 10 ** exponent) as [number, number];
  const decimals = u > 0 ? Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(u)))) : 3;
  const text = `${v.toFixed(decimals)} \u00b1 ${u.toFixed(decimals)}`.replace('-', '\u2212');
  return exponent === 0 ? text : `(${text})e${String(exponent).replace('-', '\u2212')}`;
}

export function integer(value: number): string {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let k = 0;
  let amount = value;
  while (amount >= 1024 && k + 1 < units.length) {
    amount /= 1024;
    ++k;
  }
  return `${k === 0 ? amount : amount.toFixed(1)} ${units[k]}`;
}

export function seconds(value: number): string {
  if (value < 60) return `${number(value, 3)} s`;
  const whole = Math.round(value);
  const two = (n: number) => String(n).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${two(whole % 60)} min`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)} h`;
}

/** Formats a length given in cm, in nm, µm, mm or cm. */
export function length(cm: number, digits = 3): string {
  const units: [string, number][] = [['nm', 1e7], ['\u00b5m', 1e4], ['mm', 10], ['cm', 1]];
  for (const [unit, per] of units) {
    if (cm * per < 1000 || unit === 'cm') return `${number(cm * per, digits)} ${unit}`;
  }
  return '';
}

/** Typesets a unit: "g/cm^3" becomes "g/cm³"; "1" (no unit) becomes empty. */
export function unit(text: string): string {
  return text === '1' ? '' : text.replace('^2', '\u00b2').replace('^3', '\u00b3');
}

export function withUnit(value: number, units: string, digits = 4): string {
  const written = unit(units);
  return written ? `${number(value, digits)} ${written}` : number(value, digits);
}

/** The largest 1, 2 or 5 times a power of ten that is not above `most`. */
export function roundLength(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  for (const factor of [5, 2, 1]) if (factor * power <= most) return factor * power;
  return power;
}
