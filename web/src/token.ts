// The token that allows to pause and to stop a run. It comes behind the # of the address, which no
// request contains, is taken out of the address bar, and stays in this tab of the browser.

const key = 'firm-token';

/** From what somebody has pasted: an address, its end, or the token itself. */
export function tokenIn(text: string): string {
  const found = /(?:^|#|&)token=([^&\s]*)/.exec(text);
  return found ? found[1]! : '';
}

export class Token {
  private now: string;

  constructor(private readonly changed: () => void) {
    this.now = remembered();
    this.takeFromAddress();
    window.addEventListener('hashchange', () => this.takeFromAddress());
  }

  get value(): string {
    return this.now;
  }

  set(text: string): void {
    const token = tokenIn(text) || text.trim();
    this.now = token;
    try {
      sessionStorage.setItem(key, token);
    } catch {
      // Then a reload forgets it.
    }
    this.changed();
  }

  private takeFromAddress(): void {
    const token = tokenIn(location.hash);
    if (!token) return;
    history.replaceState(null, '', location.pathname + location.search);
    this.set(token);
  }
}

function remembered(): string {
  try {
    return sessionStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}
