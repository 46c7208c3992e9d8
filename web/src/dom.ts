// Helpers that create DOM elements. They set texts as text nodes: no part of a document is ever
// parsed as HTML.

type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | EventListener | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
  return element;
}

/** A button that is on or off. */
export function toggle(
  label: string,
  pressed: boolean,
  change: (pressed: boolean) => void,
): HTMLButtonElement {
  const button = h('button', { type: 'button', 'aria-pressed': String(pressed) }, label);
  button.addEventListener('click', () => {
    const now = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(now));
    change(now);
  });
  return button;
}

export function checkbox(
  label: string,
  checked: boolean,
  change: (checked: boolean) => void,
): HTMLLabelElement {
  const input = h('input', { type: 'checkbox', checked });
  input.addEventListener('change', () => change(input.checked));
  return h('label', { class: 'check' }, input, label);
}

export function choice(
  label: string,
  options: readonly { value: string; text: string }[],
  change: (value: string) => void,
): { element: HTMLLabelElement; select: HTMLSelectElement } {
  const select = h('select');
  for (const { value, text } of options) select.append(h('option', { value }, text));
  select.addEventListener('change', () => change(select.value));
  return { element: h('label', { class: 'choice' }, label, select), select };
}

export function button(label: string, click: () => void, title?: string): HTMLButtonElement {
  return h('button', { type: 'button', title, 'aria-label': title, onclick: () => click() }, label);
}

/** Controls that belong together. */
export function group(label: string, ...children: Child[]): HTMLDivElement {
  return h('div', { role: 'group', 'aria-label': label, class: 'group' }, ...children);
}

export type Cell = string | Node;

/** Makes a table with a row of headings; the first cell of each row is its heading. */
export function table(caption: string, headings: string[], rows: Cell[][]): HTMLDivElement {
  const head = h('tr');
  for (const text of headings) head.append(h('th', { scope: 'col' }, text));
  const body = h('tbody');
  for (const cells of rows) {
    const row = h('tr');
    cells.forEach((cell, k) =>
      row.append(k === 0 ? h('th', { scope: 'row' }, cell) : h('td', {}, cell)),
    );
    body.append(row);
  }
  const element = h('table', {}, h('caption', {}, caption), h('thead', {}, head), body);
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption }, element);
}

export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  return h('section', { id, 'aria-labelledby': `${id}-title` },
    h('h2', { id: `${id}-title` }, title), ...children);
}
