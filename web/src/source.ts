// Interfaces between a page and the source of its document: the page itself, or a server.
import { isReport, type Comparison, type RunDocument } from './document';
import type { Change } from './panel';

/** State of the connection to a server.
 *  open: events arrive; lost: no events arrive, the page retries; refused: the server wants a token;
 *  ending: the run has ended and its report is loading; over: the report has arrived;
 *  incomplete: the report did not arrive; unreadable: the document has another version. */
export type Connection = 'open' | 'lost' | 'refused' | 'ending' | 'over' | 'incomplete' |
  'unreadable';

/** The page, as a source sees it. */
export interface Viewer {
  show(run: RunDocument, change: Change): void;
  compare(comparison: Comparison): void;
  /** Called at once for every status, even while the page is hidden and draws no frames. */
  progress(run: RunDocument): void;
  connection(state: Connection): void;
}

export interface RunSource {
  /** Calls `show` with the document, and again whenever there is a newer one. */
  start(viewer: Viewer): void;
}

export type Command = 'pause' | 'resume' | 'stop';

/** Sends commands to a run. */
export interface Control {
  readonly hasToken: boolean;
  setToken(token: string): void;
  /** Returns why the command was refused, or ''. */
  send(command: Command): Promise<string>;
}

/** Reads the document from the page itself: report.html. */
export class EmbeddedSource implements RunSource {
  constructor(private readonly text: string) {}

  start(viewer: Viewer): void {
    const parsed = JSON.parse(this.text) as RunDocument | null;
    if (!isReport(parsed)) throw new Error('it holds no document of a known version');
    viewer.show(parsed, 'all');
  }
}
