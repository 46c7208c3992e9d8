// Where a page gets its document from: the file itself, or, while a run goes on, a server.
import type { RunDocument } from './document';

export interface RunSource {
  /** Calls `show` with the document, and again whenever there is a newer one. */
  start(show: (document: RunDocument) => void): void;
}

/** The document is in the page: report.html. */
export class EmbeddedSource implements RunSource {
  constructor(private readonly element: HTMLElement | null) {}

  start(show: (document: RunDocument) => void): void {
    const parsed = JSON.parse(this.element?.textContent ?? 'null') as RunDocument | null;
    if (parsed?.format !== 'firm-report' || parsed.version !== 1) {
      throw new Error('the page holds no document that it can show');
    }
    show(parsed);
  }
}
