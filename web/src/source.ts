// Where the document comes from: the page itself, or, while a run goes on, a server.
import { isReport, type Comparison, type RunDocument } from './document';
import type { Change } from './panel';

/** open: events come; lost: they do not, it is tried again; refused: a token is needed;
 *  ending: the run has ended, its report is on its way; over: it has come; incomplete: it has not;
 *  unreadable: of another version. */
export type Connection = 'open' | 'lost' | 'refused' | 'ending' | 'over' | 'incomplete' |
  'unreadable';

/** What a source calls. */
export interface Viewer {
  show(run: RunDocument, change: Change): void;
  compare(comparison: Comparison): void;
  /** Of a server: at once, also where no frame is drawn because nobody looks. */
  progress(run: RunDocument): void;
  connection(state: Connection): void;
}

export interface RunSource {
  /** Calls `show` with the document, and again whenever there is a newer one. */
  start(viewer: Viewer): void;
}

export type Command = 'pause' | 'resume' | 'stop';

/** What the page may ask a run to do. */
export interface Control {
  readonly hasToken: boolean;
  setToken(token: string): void;
  /** Why it was refused, or nothing. */
  send(command: Command): Promise<string>;
}

/** The document is in the page: report.html. */
export class EmbeddedSource implements RunSource {
  constructor(private readonly text: string) {}

  start(viewer: Viewer): void {
    const parsed = JSON.parse(this.text) as RunDocument | null;
    if (!isReport(parsed)) throw new Error('the page holds no document that it can show');
    viewer.show(parsed, 'all');
  }
}
