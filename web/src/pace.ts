// Drawing that is asked for often and done now and then, all at once in a frame of the browser: a
// frame costs more than most of what is drawn in it. Pauses are long where drawing is, so that a page
// takes little from a run on the same machine.
import type { Change } from './panel';

/** A pause takes so many times as long as the work before it, with its layout and painting. */
const rest = 400;
const longestPause = 10000;
/** What is to be drawn so soon is drawn with the rest. */
const soon = 100;
const parts: readonly Change[] = ['all', 'status', 'rounds', 'images'];

/** When things are done; of tests, other than a browser's. */
export interface Times {
  now(): number;
  /** Waits, and then for a frame. */
  later(then: () => void, milliseconds: number): void;
  /** When what has been done is painted. */
  painted(then: () => void): void;
}

export class Pace {
  private readonly asked = new Set<Change>();
  private readonly next = new Map<Change, number>();
  private wakes = Infinity;
  private drawing = false;

  constructor(
    private readonly pause: number,
    private readonly draw: (change: Change) => void,
    private readonly times: Times = browserTimes,
  ) {}

  /** Draws this soon, and once however often it is asked for until then. */
  ask(change: Change): void {
    this.asked.add(change);
    this.plan();
  }

  /** Milliseconds until this would be drawn. */
  wait(change: Change): number {
    return Math.max(0, (this.next.get(change) ?? -Infinity) - this.times.now());
  }

  /** Draws this without a pause, once it is asked for: somebody waits. */
  hurry(change: Change): void {
    this.next.delete(change);
    this.plan();
  }

  private plan(): void {
    if (this.drawing || this.asked.size === 0) return;
    const wait = Math.min(...[...this.asked].map((change) => this.wait(change)));
    const wakes = this.times.now() + wait;
    if (wakes >= this.wakes) return;
    this.wakes = wakes;
    this.times.later(() => {
      if (this.wakes === wakes) this.run(); // Another may have been asked for, and come first.
    }, wait);
  }

  private run(): void {
    this.wakes = Infinity;
    this.drawing = true;
    const begin = this.times.now();
    const due = this.due();
    for (const change of due[0] === 'all' ? parts : due) this.next.set(change, begin + this.pause);
    const costs = new Map<Change, number>();
    try {
      for (const change of due) {
        const from = this.times.now();
        this.draw(change);
        costs.set(change, this.times.now() - from);
      }
    } finally {
      const drawn = this.times.now();
      this.times.painted(() => this.end(begin, costs, this.times.now() - drawn));
    }
  }

  /** Takes what is to be drawn now: everything, or parts. */
  private due(): Change[] {
    const due = [...this.asked].filter((change) => this.wait(change) <= soon);
    if (due.includes('all')) {
      this.asked.clear();
      return ['all'];
    }
    for (const change of due) this.asked.delete(change);
    return due;
  }

  // A pause that somebody has ended meanwhile stays so.
  private end(begin: number, costs: Map<Change, number>, painting: number): void {
    for (const [change, cost] of costs) {
      const pause = Math.max(this.pause, Math.min(longestPause, rest * (cost + painting)));
      if (this.next.has(change)) this.next.set(change, begin + pause);
    }
    this.drawing = false;
    this.plan();
  }
}

const browserTimes: Times = {
  now: () => performance.now(),
  later: (then, milliseconds) => {
    setTimeout(() => requestAnimationFrame(then), milliseconds);
  },
  // A message that is sent in a frame comes when the frame is done.
  painted: (then) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      then();
    };
    port2.postMessage(null);
  },
};
