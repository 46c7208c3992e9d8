// Light or dark colours: those of the system, until the reader chooses.
import { h } from './dom';

type Theme = 'light' | 'dark';
const key = 'firm-theme';
const listeners = new Set<() => void>();

/** Calls `listener` when the colours change, so that canvases can be redrawn. Call the returned
 *  function to stop listening. */
export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Value of a colour variable of the style sheet. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// Browsers may deny storage to pages opened from a disk.
function storedTheme(): Theme | null {
  try {
    const value = localStorage.getItem(key);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}

function storeTheme(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // Without storage, the next page starts with the colours of the system.
  }
}

export function themeButton(): HTMLButtonElement {
  const root = document.documentElement;
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const paper = window.matchMedia('print');
  let chosen = storedTheme();
  const button = h('button', { type: 'button', class: 'theme' });
  const current = (): Theme =>
    paper.matches ? 'light' : chosen ?? (system.matches ? 'dark' : 'light');
  const apply = () => {
    root.dataset['theme'] = current();
    button.textContent = current() === 'dark' ? 'Light colours' : 'Dark colours';
    for (const listener of listeners) listener();
  };
  button.addEventListener('click', () => {
    chosen = current() === 'dark' ? 'light' : 'dark';
    storeTheme(chosen);
    apply();
  });
  system.addEventListener('change', apply);
  paper.addEventListener('change', apply);
  apply();
  return button;
}
