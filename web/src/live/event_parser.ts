// EventParser: parses server-sent events from the bytes of a response. The browser's EventSource
// cannot send a token.

export interface ServerEvent {
  event: string;
  data: string;
}

export class EventParser {
  private readonly decoder = new TextDecoder();
  private partialLine = '';
  private event = '';
  private data: string[] = [];
  /** The last chunk ended in \r, so a \n at the start of the next belongs to the same line end. */
  private endedInCr = false;

  constructor(private readonly emit: (event: ServerEvent) => void) {}

  /** Chunks may be cut anywhere, even within a character. */
  push(bytes: Uint8Array): void {
    let text = this.decoder.decode(bytes, { stream: true });
    if (text === '') return;
    if (this.endedInCr && text.startsWith('\n')) text = text.slice(1);
    this.endedInCr = text.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    lines[0] = this.partialLine + lines[0]!;
    this.partialLine = lines.pop()!;
    for (const line of lines) this.parseLine(line);
  }

  private parseLine(line: string): void {
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
    // A comment starts with a colon, so its name is empty.
    if (name === 'event') this.event = value;
    if (name === 'data') this.data.push(value);
  }
}
