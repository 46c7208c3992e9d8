// DrawScheduler: collects requests to draw and draws them together, now and then, in one frame of the
// browser; a frame costs more than most of what is drawn in it. The pause after a drawing grows with
// its cost, so that the page takes little time from a run on the same machine.
import type { Change } from '../panel';

/** A pause lasts this many times as long as the drawing before it, with its layout and painting. */
const pauseFactor = 400;
const longestPause = 10000;
/** A new document, as when a run has read its data, is seldom, and the reader waits for it. */
const longestPauseOfAll = 500;
/** Parts that are due within this many milliseconds are drawn in the same frame. */
const sameFrame = 100;
const parts: readonly Change[] = ['all', 'status', 'rounds', 'images'];

/** Timing functions of the browser; tests replace them. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Calls `then` in the first frame after a delay. */
  later(then: () => void, milliseconds: number): void;
  /** Calls `then` when the current frame is painted. */
  painted(then: () => void): void;
}

export class DrawScheduler {
  private readonly requested = new Set<Change>();
  /** Earliest time of the next drawing of each part. */
  private readonly earliest = new Map<Change, number>();
  private wakeTime = Infinity;
  private drawing = false;

  constructor(
    private readonly shortestPause: number,
    private readonly draw: (change: Change) => void,
    private readonly clock: Clock = browserClock,
  ) {}

  /** Draws this part when its pause is over; several requests until then become one drawing. */
  request(change: Change): void {
    this.requested.add(change);
    this.schedule();
  }

  /** Milliseconds until this part may be drawn. */
  delay(change: Change): number {
    return Math.max(0, (this.earliest.get(change) ?? -Infinity) - this.clock.now());
  }

  /** Ends the pause of this part, because the reader is waiting for it. */
  skipPause(change: Change): void {
    this.earliest.delete(change);
    this.schedule();
  }

  private schedule(): void {
    if (this.drawing || this.requested.size === 0) return;
    const delay = Math.min(...[...this.requested].map((change) => this.delay(change)));
    const wakeTime = this.clock.now() + delay;
    if (wakeTime >= this.wakeTime) return;
    this.wakeTime = wakeTime;
    this.clock.later(() => {
      if (this.wakeTime === wakeTime) this.run(); // else an earlier request has replaced this one
    }, delay);
  }

  private run(): void {
    this.wakeTime = Infinity;
    this.drawing = true;
    const begin = this.clock.now();
    const due = this.takeDue();
    for (const change of due[0] === 'all' ? parts : due) {
      this.earliest.set(change, begin + this.shortestPause);
    }
    const costs = new Map<Change, number>();
    try {
      for (const change of due) {
        const from = this.clock.now();
        this.draw(change);
        costs.set(change, this.clock.now() - from);
      }
    } finally {
      const drawn = this.clock.now();
      this.clock.painted(() => this.finish(begin, costs, this.clock.now() - drawn));
    }
  }

  /** Removes and returns the requests to draw now: 'all', or some parts. */
  private takeDue(): Change[] {
    const due = [...this.requested].filter((change) => this.delay(change) <= sameFrame);
    if (due.includes('all')) {
      this.requested.clear();
      return ['all'];
    }
    for (const change of due) this.requested.delete(change);
    return due;
  }

  // Sets the pauses by their cost, except those that skipPause() has ended during the painting.
  private finish(begin: number, costs: Map<Change, number>, painting: number): void {
    for (const [change, cost] of costs) {
      const longest = change === 'all' ? longestPauseOfAll : longestPause;
      const pause = Math.max(this.shortestPause,
        Math.min(longest, pauseFactor * (cost + painting)));
      if (this.earliest.has(change)) this.earliest.set(change, begin + pause);
    }
    this.drawing = false;
    this.schedule();
  }
}

const browserClock: Clock = {
  now: () => performance.now(),
  later: (then, milliseconds) => {
    setTimeout(() => requestAnimationFrame(then), milliseconds);
  },
  // A message that is sent within a frame arrives after the frame is painted.
  painted: (then) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      then();
    };
    port2.postMessage(null);
  },
};
