// Tabs of one browser that show the same server. A browser opens six connections to a server, and
// every page that listens holds one: with more pages none is left for what a reader asks for. So of
// many tabs only those that were looked at last listen; the others begin again when they are shown.

/** Pages that listen, of which a reader sees one or two. */
const most = 4;

interface Message {
  id: string;
  /** When it was looked at last. */
  seen: number;
  /** hello: who else is there? */
  kind: 'hello' | 'here' | 'gone';
}

/** Whether a page with these others, by when they were looked at, lets its connection go. */
export function letsGo(hidden: boolean, seen: number, others: Iterable<number>): boolean {
  return hidden && [...others].filter((other) => other >= seen).length >= most;
}

export class Tabs {
  private readonly id = `${Date.now()}.${Math.random()}`;
  private readonly others = new Map<string, number>();
  private readonly channel: BroadcastChannel | undefined;
  private seen = Date.now();

  /** `changed` is called when this page may listen again, or no longer. */
  constructor(private readonly changed: () => void) {
    if (typeof BroadcastChannel === 'undefined') return;
    this.channel = new BroadcastChannel('firm-pages');
    this.channel.onmessage = ({ data }: MessageEvent<Message>) => this.take(data);
    document.addEventListener('visibilitychange', () => this.look());
    window.addEventListener('pagehide', () => this.say('gone'));
    window.addEventListener('pageshow', () => this.say('hello'));
    this.say('hello');
  }

  get mayListen(): boolean {
    return !letsGo(document.hidden, this.seen, this.others.values());
  }

  private say(kind: Message['kind']): void {
    this.channel?.postMessage({ id: this.id, seen: this.seen, kind } satisfies Message);
  }

  private look(): void {
    this.seen = Date.now();
    this.say('here');
    this.changed();
  }

  private take({ id, seen, kind }: Message): void {
    if (kind === 'gone') this.others.delete(id);
    else this.others.set(id, seen);
    if (kind === 'hello') this.say('here');
    this.changed();
  }
}
