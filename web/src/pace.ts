// Work that is asked for often and done now and then: in a frame of the browser, with pauses that
// are long when the work is, so that a page takes little from a run on the same machine.
import type { Change } from './panel';

/** A pause takes so many times as long as the work before it, with its layout and painting. */
const rest = 100;
const longestPause = 4000;

/** When things are done; of tests, other than a browser's. */
export interface Times {
  now(): number;
  later(then: () => void, milliseconds: number): void;
  /** When what has been done is painted. */
  painted(then: () => void): void;
}

export class Pace {
  private readonly asked = new Set<Change>();
  private busy = false;
  private next = -Infinity;

  constructor(
    private readonly pause: number,
    private readonly work: (change: Change) => void,
    private readonly times: Times = browserTimes,
  ) {}

  /** Does the work for this change soon, and once however often it is asked for until then. */
  ask(change: Change): void {
    this.asked.add(change);
    if (this.busy) return;
    this.busy = true;
    this.times.later(() => this.run(), Math.max(0, this.next - this.times.now()));
  }

  private run(): void {
    const begin = this.times.now();
    const changes: Change[] = this.asked.has('all') ? ['all'] : [...this.asked];
    this.asked.clear();
    for (const each of changes) this.work(each);
    this.times.painted(() => {
      const pause = Math.min(longestPause, rest * (this.times.now() - begin));
      this.next = begin + Math.max(this.pause, pause);
      this.busy = false;
      for (const each of this.asked) this.ask(each);
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
