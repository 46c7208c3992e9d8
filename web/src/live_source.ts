// A run that goes on: its server tells what is new. docs/dashboard.md has the requests.
import { isComparison, isReport, type Comparison, type Curve, type Live, type RunDocument,
  type StackSet } from './document';
import { LiveRun } from './live_run';
import { Pace } from './pace';
import type { Command, Control, RunSource, Viewer } from './source';
import { EventParser, type ServerEvent } from './sse';
import { Tabs } from './tabs';
import { Token } from './token';

const firstPause = 250;
const longestPause = 5000;
const betweenUpdates = 250;
// The server tells the time about every second: after so long without, nobody is there.
const longestSilence = 15000;
// A command is answered at once, if a connection is free for it.
const longestAnswer = 8000;

const refusals: Record<number, string> = {
  401: 'wrong token',
  409: 'the run is over',
};

export class LiveSource implements RunSource, Control {
  private readonly token: Token;
  private readonly run = new LiveRun();
  private readonly pace: Pace;
  private readonly tabs = new Tabs(() => this.tabsChanged());
  private connection: AbortController | undefined;
  private viewer: Viewer | undefined;
  private ended = false;
  private unreadable = false;
  private wake: (() => void) | undefined;
  private wantedImages = 0;
  private shownImages = 0;
  private fetching = false;

  constructor() {
    this.pace = new Pace(betweenUpdates, (change) => {
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
    const late = new AbortController();
    const patience = setTimeout(() => late.abort(), longestAnswer);
    try {
      const response = await this.request(`/api/${command}`, 'POST', late.signal);
      this.pace.hurry('status');
      return response.ok ? '' : refusals[response.status] ?? `refused (${response.status})`;
    } catch {
      return late.signal.aborted
        ? 'no answer; where many pages of this server are open in this browser, close some'
        : 'the run\u2019s server does not answer';
    } finally {
      clearTimeout(patience);
    }
  }

  private tabsChanged(): void {
    if (this.tabs.mayListen) this.wake?.();
    else this.connection?.abort();
  }

  private tokenChanged(): void {
    this.wake?.();
    this.pace.hurry('status');
    if (this.run.document) this.pace.ask('status');
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

  // Until the run has ended. A new connection begins with a whole document.
  private async listen(): Promise<void> {
    let pause = firstPause;
    while (!this.ended) {
      if (!this.tabs.mayListen) {
        await new Promise<void>((done) => (this.wake = done));
        continue;
      }
      const heard = await this.connect();
      if (this.ended) break;
      if (heard === 'refused') {
        this.viewer?.connection('refused');
        await new Promise<void>((done) => (this.wake = done));
        continue;
      }
      if (!this.tabs.mayListen) continue; // It has hung up by itself.
      pause = heard ? firstPause : Math.min(longestPause, 2 * pause);
      this.viewer?.connection('lost');
      await new Promise<void>((done) => {
        this.wake = done;
        setTimeout(done, pause);
      });
    }
    this.viewer?.connection('ending');
    const whole = !this.unreadable && await this.fetchDocument();
    this.viewer?.connection(this.unreadable ? 'unreadable' : whole ? 'over' : 'incomplete');
  }

  // Whether anything came.
  private async connect(): Promise<boolean | 'refused'> {
    let heard = false;
    const silence = (this.connection = new AbortController());
    let patience = 0;
    const wait = () => {
      clearTimeout(patience);
      patience = window.setTimeout(() => silence.abort(), longestSilence);
    };
    try {
      wait();
      const response = await this.request('/api/events', 'GET', silence.signal);
      if (response.status === 401) return 'refused';
      if (!response.ok || !response.body) return false;
      const parser = new EventParser((event) => {
        if (!heard) this.viewer?.connection('open');
        heard = true;
        this.take(event);
      });
      const reader = response.body.getReader();
      while (!this.ended) {
        const { value, done } = await reader.read();
        if (done) break;
        wait();
        parser.push(value);
      }
      await reader.cancel();
    } catch {
      // Lost; the caller tries again.
    } finally {
      clearTimeout(patience);
    }
    return heard;
  }

  private take({ event, data }: ServerEvent): void {
    const parsed: unknown = JSON.parse(data);
    switch (event) {
      case 'document':
        this.begin(parsed as RunDocument | Comparison);
        break;
      case 'status':
        this.takeStatus(parsed as Live);
        break;
      case 'rounds':
        this.run.rounds((parsed as { curves: Curve[] }).curves);
        this.pace.ask('rounds');
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

  private takeStatus(live: Live): void {
    // Whoever has pressed a button waits for it.
    const asked = (state?: string) => state === 'pausing' || state === 'paused';
    const before = this.run.document?.live?.state;
    if (before !== live.state && (asked(before) || asked(live.state))) this.pace.hurry('status');
    this.run.status(live);
    if (this.run.document) this.viewer?.progress(this.run.document);
    this.pace.ask('status');
  }

  private begin(document: RunDocument | Comparison): void {
    // What is shown here is shown by itself, so that its errors are not taken for those of the
    // connection.
    if (isComparison(document)) {
      queueMicrotask(() => this.viewer?.compare(document));
    } else if (isReport(document)) {
      this.run.begin(document);
      this.viewer?.progress(document);
      if (this.ended) queueMicrotask(() => this.viewer?.show(document, 'all'));
      else this.pace.ask('all');
      // Of another process at this address, they may begin anew.
      this.shownImages = 0;
      this.wantedImages = document.live?.images ?? 0;
      void this.fetchImages();
    } else {
      this.ended = this.unreadable = true;
    }
  }

  // One at a time, as often as they can be shown, and only while somebody looks. A failure is left to
  // the next event.
  private async fetchImages(): Promise<void> {
    if (this.fetching) return;
    this.fetching = true;
    try {
      for (;;) {
        await new Promise((done) => setTimeout(done, this.pace.wait('images')));
        if (this.shownImages === this.wantedImages || this.ended || document.hidden) break;
        const version = this.wantedImages;
        const response = await this.request('/api/images');
        if (!response.ok) break;
        const images = response.status === 200 ? (await response.json()) as StackSet : null;
        if (this.ended) break; // Those of the whole document are newer.
        if (images) {
          this.run.images(images);
          this.pace.ask('images');
        }
        this.shownImages = version;
      }
    } catch {
      // The connection is lost, which the events tell, too.
    } finally {
      this.fetching = false;
    }
  }

  // The server goes away soon after the end: once is all there is time for.
  private async fetchDocument(): Promise<boolean> {
    try {
      const response = await this.request('/api/document');
      if (!response.ok) return false;
      this.begin((await response.json()) as RunDocument | Comparison);
      return true;
    } catch {
      return false; // What has come before stays.
    }
  }
}
