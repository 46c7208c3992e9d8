// A part of the page. docs/report.md tells how to add one.
import type { RunDocument } from './document';

/** What is new in a document: everything, or of a run that goes on one part of it. */
export type Change = 'all' | 'status' | 'rounds' | 'images';

export interface Panel {
  readonly element: HTMLElement;
  /** Shows a document; called again when there is a newer one. Hides itself without content. */
  update(document: RunDocument, change: Change): void;
}

/** A panel that is made anew from every document, not from parts of it: text and tables. */
export function textPanel(
  id: string,
  make: (document: RunDocument) => HTMLElement | null,
): Panel {
  const element = document.createElement('div');
  element.dataset['panel'] = id;
  return {
    element,
    update(run, change) {
      if (change !== 'all') return;
      const made = make(run);
      element.replaceChildren(...(made ? [made] : []));
    },
  };
}
