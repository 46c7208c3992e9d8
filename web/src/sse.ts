// Server-sent events out of the bytes of a response. EventSource has no way to send a token.

export interface ServerEvent {
  event: string;
  data: string;
}

export class EventParser {
  private readonly decoder = new TextDecoder();
  private rest = '';
  private event = '';
  private data: string[] = [];
  // The last chunk ended in \r: a \n that follows belongs to it.
  private half = false;

  constructor(private readonly emit: (event: ServerEvent) => void) {}

  /** Chunks may be cut anywhere, within a character too. */
  push(bytes: Uint8Array): void {
    let text = this.decoder.decode(bytes, { stream: true });
    if (text === '') return;
    if (this.half && text.startsWith('\n')) text = text.slice(1);
    this.half = text.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    lines[0] = this.rest + lines[0]!;
    this.rest = lines.pop()!;
    for (const line of lines) this.take(line);
  }

  private take(line: string): void {
    if (line === '') {
      if (this.data.length > 0) {
        this.emit({ event: this.event || 'message', data: this.data.join('\n') });
      }
      this.event = '';
      this.data = [];
      return;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    // A comment has no name.
    if (name === 'event') this.event = value;
    if (name === 'data') this.data.push(value);
  }
}
