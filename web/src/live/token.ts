// Token: the secret that allows this page to pause and stop a run. It follows the # of the address,
// so no request contains it. The page removes it from the address bar and keeps it in this tab.

const key = 'firm-token';

/** Finds "token=..." in an address or in its end; returns '' if there is none. */
export function parseToken(text: string): string {
  const found = /(?:^|#|&)token=([^&\s]*)/.exec(text);
  return found ? found[1]! : '';
}

export class Token {
  private current: string;

  constructor(private readonly changed: () => void) {
    this.current = storedToken();
    this.readAddress();
    window.addEventListener('hashchange', () => this.readAddress());
  }

  get value(): string {
    return this.current;
  }

  /** Accepts an address with a token, or the token itself. */
  set(text: string): void {
    const token = parseToken(text) || text.trim();
    this.current = token;
    try {
      sessionStorage.setItem(key, token);
    } catch {
      // Without storage, a reload forgets the token.
    }
    this.changed();
  }

  private readAddress(): void {
    const token = parseToken(location.hash);
    if (!token) return;
    history.replaceState(null, '', location.pathname + location.search);
    this.set(token);
  }
}

function storedToken(): string {
  try {
    return sessionStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}
