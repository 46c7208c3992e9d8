// Work that is asked for often and done now and then: in a frame of the browser, with pauses that
// are long when the work is, so that a page takes little from a run on the same machine.
import type { Change } from './panel';

/** A pause takes so many times as long as the work before it; painting comes on top of that. */
const rest = 100;
const longestPause = 2000;

export class Pace {
  private readonly asked = new Set<Change>();
  private waiting = false;
  private next = -Infinity;

  constructor(
    private readonly pause: number,
    private readonly work: (change: Change) => void,
    private readonly now: () => number = () => performance.now(),
    private readonly later: (then: () => void, milliseconds: number) => void = inFrame,
  ) {}

  /** Does the work for this change soon, and once however often it is asked for until then. */
  ask(change: Change): void {
    this.asked.add(change);
    if (this.waiting) return;
    this.waiting = true;
    this.later(() => {
      this.waiting = false;
      const begin = this.now();
      const all = this.asked.has('all');
      const changes: Change[] = all ? ['all'] : [...this.asked];
      this.asked.clear();
      for (const each of changes) this.work(each);
      const pause = Math.min(longestPause, rest * (this.now() - begin));
      this.next = begin + Math.max(this.pause, pause);
    }, Math.max(0, this.next - this.now()));
  }
}

function inFrame(then: () => void, milliseconds: number): void {
  setTimeout(() => requestAnimationFrame(then), milliseconds);
}
