// BrowserTabs: shares the connections to a server among the tabs of a browser. A browser opens at
// most six connections to one server, and every page that listens holds one, so many pages would
// leave none for commands. Only the tabs that were looked at last listen; the others reconnect when
// they are shown.

const maxListening = 4;

interface Message {
  id: string;
  /** When the tab was looked at last, in milliseconds. */
  seen: number;
  /** hello: announces a tab and asks the others to answer with here; gone: the tab is closed. */
  kind: 'hello' | 'here' | 'gone';
}

/** Whether a page gives up its connection: it is hidden, and enough others were looked at later. */
export function shouldDisconnect(hidden: boolean, seen: number, others: Iterable<number>): boolean {
  return hidden && [...others].filter((other) => other >= seen).length >= maxListening;
}

export class BrowserTabs {
  private readonly id = `${Date.now()}.${Math.random()}`;
  private readonly others = new Map<string, number>();
  private readonly channel: BroadcastChannel | undefined;
  private seen = Date.now();

  /** Calls `changed` when `mayListen` may have changed. */
  constructor(private readonly changed: () => void) {
    if (typeof BroadcastChannel === 'undefined') return;
    this.channel = new BroadcastChannel('firm-pages');
    this.channel.onmessage = ({ data }: MessageEvent<Message>) => this.receive(data);
    document.addEventListener('visibilitychange', () => this.visibilityChanged());
    window.addEventListener('pagehide', () => this.send('gone'));
    window.addEventListener('pageshow', () => this.send('hello'));
    this.send('hello');
  }

  get mayListen(): boolean {
    return !shouldDisconnect(document.hidden, this.seen, this.others.values());
  }

  private send(kind: Message['kind']): void {
    this.channel?.postMessage({ id: this.id, seen: this.seen, kind } satisfies Message);
  }

  private visibilityChanged(): void {
    this.seen = Date.now();
    this.send('here');
    this.changed();
  }

  private receive({ id, seen, kind }: Message): void {
    if (kind === 'gone') this.others.delete(id);
    else this.others.set(id, seen);
    if (kind === 'hello') this.send('here');
    this.changed();
  }
}
