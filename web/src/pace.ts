// Drawing that is asked for often and done now and then, all at once in a frame of the browser: a
// frame costs more than most of what is drawn in it. Pauses are long where drawing is, so that a page
// takes little from a run on the same machine.
import type { Change } from './panel';

/** A pause takes so many times as long as the work before it, with its layout and painting. */
const rest = 400;
const longestPause = 10000;
/** What is to be drawn so soon is drawn with the rest. */
const soon = 300;

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
    const due = this.asked.has('all') ? ['all' as const]
      : [...this.asked].filter((change) => this.wait(change) <= soon);
    if (due[0] === 'all') this.asked.clear();
    const begin = this.times.now();
    const costs = due.map((change) => {
      const from = this.times.now();
      this.asked.delete(change);
      this.draw(change);
      return this.times.now() - from;
    });
    const drawn = this.times.now();
    this.times.painted(() => {
      const painting = this.times.now() - drawn;
      due.forEach((change, k) => {
        const pause = Math.min(longestPause, rest * (costs[k]! + painting));
        this.next.set(change, begin + Math.max(this.pause, pause));
      });
      this.drawing = false;
      this.plan();
    });
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
