// Light or dark: what the system says, until the reader says otherwise.
import { h } from './dom';

type Theme = 'light' | 'dark';
const key = 'firm-theme';
const listeners = new Set<() => void>();

/** Called when colours have changed: canvases are then drawn anew. Gives back what ends it. */
export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A colour of the style sheet. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// A browser may keep nothing for pages from a disk.
function remembered(): Theme | null {
  try {
    const value = localStorage.getItem(key);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // Then the next page begins as the system says.
  }
}

export function themeButton(): HTMLButtonElement {
  const root = document.documentElement;
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const paper = window.matchMedia('print');
  let chosen = remembered();
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
    remember(chosen);
    apply();
  });
  system.addEventListener('change', apply);
  paper.addEventListener('change', apply);
  apply();
  return button;
}
