// LiveSource: follows a running reconstruction through the events of its server.
// docs/dashboard.md lists the requests.
import { isComparison, isReport, type Comparison, type Curve, type Live, type RunDocument,
  type StackSet } from '../document';
import { LiveRun } from './live_run';
import { DrawScheduler } from './draw_scheduler';
import type { Command, Control, RunSource, Viewer } from '../source';
import { EventParser, type ServerEvent } from './event_parser';
import { BrowserTabs } from './browser_tabs';
import { Token } from './token';

// All in milliseconds.
const firstRetryDelay = 250;
const longestRetryDelay = 5000;
const drawInterval = 250;
// The server sends the time about every second: a longer silence means a lost connection.
const silenceTimeout = 15000;
// The server answers a command at once, provided that the browser has a free connection.
const commandTimeout = 8000;

const refusals: Record<number, string> = {
  401: 'wrong token',
  409: 'the run is over',
};

export class LiveSource implements RunSource, Control {
  private readonly token: Token;
  private readonly run = new LiveRun();
  private readonly scheduler: DrawScheduler;
  private readonly tabs = new BrowserTabs(() => this.tabsChanged());
  private connection: AbortController | undefined;
  private viewer: Viewer | undefined;
  private ended = false;
  private unreadable = false;
  private wake: (() => void) | undefined;
  private wantedImages = 0;
  private shownImages = 0;
  private fetching = false;

  constructor() {
    this.scheduler = new DrawScheduler(drawInterval, (change) => {
      if (this.run.document) this.viewer?.show(this.run.document, change);
    });
    this.token = new Token(() => this.tokenChanged());
    document.addEventListener('visibilitychange', () => void this.fetchImages());
  }

  get hasToken(): boolean {
    return this.token.value !== '';
  }

  setToken(token: string): void {
    this.token.set(token);
  }

  start(viewer: Viewer): void {
    this.viewer = viewer;
    void this.listen();
  }

  async send(command: Command): Promise<string> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), commandTimeout);
    try {
      const response = await this.request(`/api/${command}`, 'POST', timeout.signal);
      this.scheduler.skipPause('status');
      return response.ok ? '' : refusals[response.status] ?? `refused (${response.status})`;
    } catch {
      return timeout.signal.aborted
        ? 'no answer; if many pages of this server are open in this browser, close some'
        : 'the server of this run does not answer';
    } finally {
      clearTimeout(timer);
    }
  }

  private tabsChanged(): void {
    if (this.tabs.mayListen) this.wake?.();
    else this.connection?.abort();
  }

  private tokenChanged(): void {
    this.wake?.();
    this.scheduler.skipPause('status');
    if (this.run.document) this.scheduler.request('status');
  }

  private request(path: string, method = 'GET', signal?: AbortSignal): Promise<Response> {
    const token = this.token.value;
    return fetch(path, {
      method,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      ...(signal ? { signal } : {}),
      ...(token ? { headers: { Authorization: `Bearer ${token}` } } : {}),
    });
  }

  // Listens until the run ends, and reconnects when the connection is lost. Every connection starts
  // with a whole document.
  private async listen(): Promise<void> {
    let retryDelay = firstRetryDelay;
    while (!this.ended) {
      if (!this.tabs.mayListen) {
        await new Promise<void>((done) => (this.wake = done));
        continue;
      }
      const received = await this.connect();
      if (this.ended) break;
      if (received === 'refused') {
        this.viewer?.connection('refused');
        await new Promise<void>((done) => (this.wake = done));
        continue;
      }
      if (!this.tabs.mayListen) continue; // This page closed the connection itself.
      retryDelay = received ? firstRetryDelay : Math.min(longestRetryDelay, 2 * retryDelay);
      this.viewer?.connection('lost');
      await new Promise<void>((done) => {
        this.wake = done;
        setTimeout(done, retryDelay);
      });
    }
    this.viewer?.connection('ending');
    const complete = !this.unreadable && await this.fetchDocument();
    this.viewer?.connection(this.unreadable ? 'unreadable' : complete ? 'over' : 'incomplete');
  }

  // Reads events until the connection ends. Returns whether it received any.
  private async connect(): Promise<boolean | 'refused'> {
    let received = false;
    const connection = (this.connection = new AbortController());
    let timer = 0;
    const restartTimer = () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => connection.abort(), silenceTimeout);
    };
    try {
      restartTimer();
      const response = await this.request('/api/events', 'GET', connection.signal);
      if (response.status === 401) return 'refused';
      if (!response.ok || !response.body) return false;
      const parser = new EventParser((event) => {
        if (!received) this.viewer?.connection('open');
        received = true;
        this.handle(event);
      });
      const reader = response.body.getReader();
      while (!this.ended) {
        const { value, done } = await reader.read();
        if (done) break;
        restartTimer();
        parser.push(value);
      }
      await reader.cancel();
    } catch {
      // The connection is lost; the caller retries.
    } finally {
      clearTimeout(timer);
    }
    return received;
  }

  private handle({ event, data }: ServerEvent): void {
    const parsed: unknown = JSON.parse(data);
    switch (event) {
      case 'document':
        this.begin(parsed as RunDocument | Comparison);
        break;
      case 'status':
        this.setStatus(parsed as Live);
        break;
      case 'rounds':
        this.run.rounds((parsed as { curves: Curve[] }).curves);
        this.scheduler.request('rounds');
        break;
      case 'images':
        this.wantedImages = (parsed as { version: number }).version;
        void this.fetchImages();
        break;
      case 'end':
        this.ended = true;
        break;
    }
  }

  private setStatus(live: Live): void {
    // Shows the effect of Pause and Resume at once.
    const isPause = (state?: string) => state === 'pausing' || state === 'paused';
    const before = this.run.document?.live?.state;
    if (before !== live.state && (isPause(before) || isPause(live.state))) {
      this.scheduler.skipPause('status');
    }
    this.run.status(live);
    if (this.run.document) this.viewer?.progress(this.run.document);
    this.scheduler.request('status');
  }

  private begin(document: RunDocument | Comparison): void {
    // Draws in microtasks, so that errors in drawing are not mistaken for a lost connection.
    if (isComparison(document)) {
      queueMicrotask(() => this.viewer?.compare(document));
    } else if (isReport(document)) {
      this.run.begin(document);
      this.viewer?.progress(document);
      if (this.ended) queueMicrotask(() => this.viewer?.show(document, 'all'));
      else this.scheduler.request('all');
      // Another process may now answer at this address, with versions that start again at 0.
      this.shownImages = 0;
      this.wantedImages = document.live?.images ?? 0;
      void this.fetchImages();
    } else {
      this.ended = this.unreadable = true;
    }
  }

  // Fetches one set of images at a time, as often as they can be drawn, and only while the page is
  // visible. After a failure, the next event retries.
  private async fetchImages(): Promise<void> {
    if (this.fetching) return;
    this.fetching = true;
    try {
      for (;;) {
        await new Promise((done) => setTimeout(done, this.scheduler.delay('images')));
        if (this.shownImages === this.wantedImages || this.ended || document.hidden) break;
        const version = this.wantedImages;
        const response = await this.request('/api/images');
        if (!response.ok) break;
        const images = response.status === 200 ? (await response.json()) as StackSet : null;
        if (this.ended) break; // The final document has newer images.
        if (images) {
          this.run.images(images);
          this.scheduler.request('images');
        }
        this.shownImages = version;
      }
    } catch {
      // The connection is lost; listen() notices it and reconnects.
    } finally {
      this.fetching = false;
    }
  }

  // Tries only once: the server exits soon after the end of the run.
  private async fetchDocument(): Promise<boolean> {
    try {
      const response = await this.request('/api/document');
      if (!response.ok) return false;
      this.begin((await response.json()) as RunDocument | Comparison);
      return true;
    } catch {
      return false; // The page keeps what it shows.
    }
  }
}
