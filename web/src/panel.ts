// Panel: one part of the page. docs/report.md describes how to add one.
import type { RunDocument } from './document';

/** The part of the document that has changed: everything, or one part while the run goes on. */
export type Change = 'all' | 'status' | 'rounds' | 'images';

export interface Panel {
  readonly element: HTMLElement;
  /** Shows a document; called again for every newer one. Empties the element if the document has
   *  nothing for this panel. */
  update(document: RunDocument, change: Change): void;
}

/** A panel of text and tables that is rebuilt for every whole document and ignores partial changes. */
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
