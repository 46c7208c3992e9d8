// ProfilePanel: a chart of one site's values along a line, with a curve for each view (such as
// reconstruction and truth).
import { button, choice, group, h } from '../dom';
import { unit } from '../format';
import { Chart, type Series } from '../charts/chart';
import type { Stack } from './stack';
import type { Line, ViewState } from './view_state';

export interface ProfileSource {
  sites: string[];
  of(site: string): { text: string; stack: Stack; values: Float32Array }[];
}

/** Pixels under a line, in steps of about one pixel; `at` is the distance from its start, in
 *  pixels. */
export function sample(
  line: Line,
  rows: number,
  columns: number,
): { index: number; at: number }[] {
  const end = (point: { x: number; y: number }) => ({ x: point.x * columns, y: point.y * rows });
  const [a, b] = [end(line.from), end(line.to)];
  const span = Math.hypot(b.x - a.x, b.y - a.y);
  const steps = Math.max(1, Math.round(span));
  const within = (v: number, count: number) => Math.min(count - 1, Math.max(0, Math.floor(v)));
  return Array.from({ length: steps + 1 }, (_, k) => {
    const t = k / steps;
    const row = within(a.y + (b.y - a.y) * t, rows);
    const column = within(a.x + (b.x - a.x) * t, columns);
    return { index: row * columns + column, at: span * t };
  });
}

export class ProfilePanel {
  readonly element: HTMLElement;
  private readonly chart = new Chart('Profile along the line from A to B', 260);
  private readonly inputs: HTMLInputElement[] = [];
  private site: string;
  private drawnLine: Line | null = null;
  private readonly stopListening: () => void;
  private redrawRequested = false;

  /** Shows `preferredSite` if the source has it, else its first site. */
  constructor(private readonly state: ViewState, private readonly source: ProfileSource,
    preferredSite?: string) {
    this.site = source.sites.find((s) => s === preferredSite) ?? source.sites[0] ?? '';
    const size = this.size();
    // The default line is the middle row.
    const y = (Math.floor(size.rows / 2) + 0.5) / size.rows;
    state.line ??= { from: { x: 0.5 / size.columns, y }, to: { x: 1 - 0.5 / size.columns, y } };
    const sites = choice('Site', source.sites.map((s) => ({ value: s, text: s })), (value) => {
      this.site = value;
      this.refresh();
    });
    sites.select.value = this.site;
    this.element = h('div', { class: 'profile' }, h('h3', {}, 'Line profile'),
      h('div', { class: 'toolbar' },
        sites.element,
        group('Ends of the line', ...this.endInputs()),
        group('Lines through the cursor',
          button('Row', () => this.setLineThroughCursor('row'), 'The row under the cursor'),
          button('Column', () => this.setLineThroughCursor('column'),
            'The column under the cursor'))),
      this.chart.element);
    this.stopListening = state.onChange(() => {
      if (state.line !== this.drawnLine) this.refresh();
    });
    this.refresh();
  }

  /** Removes listeners; call it when the element is removed. */
  dispose(): void {
    this.stopListening();
    this.chart.dispose();
  }

  get shownSite(): string {
    return this.site;
  }

  // Size of the first view, which the number fields refer to; other views may differ.
  private size(): { rows: number; columns: number; reduction: number } {
    const stack = this.source.of(this.site)[0]?.stack;
    return { rows: stack?.rows ?? 1, columns: stack?.columns ?? 1,
      reduction: stack?.reduction ?? 1 };
  }

  private endInputs(): HTMLElement[] {
    const { rows, columns, reduction } = this.size();
    const names = ['A row', 'A column', 'B row', 'B column'];
    return names.map((name, k) => {
      const count = k % 2 === 0 ? rows : columns;
      const input = h('input', { type: 'number', min: 0, max: count * reduction - 1,
        step: 1, 'data-end': k });
      input.addEventListener('change', () => this.applyInputs());
      input.addEventListener('blur', () => this.refresh());
      this.inputs.push(input);
      return h('label', { class: 'number' }, name, input);
    });
  }

  // Sets the line from the number fields, through the middle of the pixels.
  private applyInputs(): void {
    const { rows, columns, reduction } = this.size();
    const relative = (k: number, count: number) => {
      const pixel = Math.floor(Number(this.inputs[k]!.value) / reduction);
      return (Math.min(count - 1, Math.max(0, pixel)) + 0.5) / count;
    };
    this.state.setLine({
      from: { x: relative(1, columns), y: relative(0, rows) },
      to: { x: relative(3, columns), y: relative(2, rows) },
    });
  }

  // Sets the line to the whole row or column under the cursor.
  private setLineThroughCursor(direction: 'row' | 'column'): void {
    const cursor = this.state.cursor ?? this.state.centre;
    const [first, last] = [1e-9, 1 - 1e-9];
    this.state.setLine(direction === 'row'
      ? { from: { x: first, y: cursor.y }, to: { x: last, y: cursor.y } }
      : { from: { x: cursor.x, y: first }, to: { x: cursor.x, y: last } });
  }

  refresh(): void {
    this.drawnLine = this.state.line;
    if (this.redrawRequested) return;
    this.redrawRequested = true;
    requestAnimationFrame(() => {
      this.redrawRequested = false;
      this.draw();
    });
  }

  private draw(): void {
    const line = this.state.line;
    const views = this.source.of(this.site);
    if (!line || views.length === 0) return;
    const { rows, columns, reduction } = this.size();
    const series = views.map((s, k): Series => {
      const points = sample(line, s.stack.rows, s.stack.columns);
      return {
        label: s.text,
        x: points.map((p) => p.at * s.stack.pixel * 1e4),
        y: points.map((p) => s.values[p.index]!),
        colour: k,
      };
    });
    const packed = views[0]!.stack.packed;
    this.chart.draw({ xLabel: 'distance from A, \u00b5m',
      yLabel: `${this.site}: ${packed.signal ?? ''}, ${unit(packed.units ?? '')}` }, series);
    const pixel = (fraction: number, count: number) =>
      String(Math.min(count - 1, Math.floor(fraction * count)) * reduction);
    [pixel(line.from.y, rows), pixel(line.from.x, columns), pixel(line.to.y, rows),
      pixel(line.to.x, columns)].forEach((text, k) => {
      const input = this.inputs[k]!;
      if (input !== document.activeElement) input.value = text; // else it is being typed
    });
  }
}
