// A part of the page. docs/report.md tells how to add one.
import type { RunDocument } from './document';

export interface Panel {
  readonly element: HTMLElement;
  /** Shows a document; called again when there is a newer one. Hides itself without content. */
  update(document: RunDocument): void;
}

/** A panel that is made anew from every document: text and tables. */
export function textPanel(
  id: string,
  make: (document: RunDocument) => HTMLElement | null,
): Panel {
  const element = document.createElement('div');
  element.dataset['panel'] = id;
  return {
    element,
    update(run) {
      const made = make(run);
      element.replaceChildren(...(made ? [made] : []));
    },
  };
}
