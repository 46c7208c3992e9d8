// Work that is asked for often and done now and then: in a frame of the browser, with pauses.
import type { Change } from './panel';

export class Pace {
  private readonly asked = new Set<Change>();
  private waiting = false;
  private last = -Infinity;

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
      this.last = this.now();
      const all = this.asked.has('all');
      const changes: Change[] = all ? ['all'] : [...this.asked];
      this.asked.clear();
      for (const each of changes) this.work(each);
    }, Math.max(0, this.last + this.pause - this.now()));
  }
}

function inFrame(then: () => void, milliseconds: number): void {
  setTimeout(() => requestAnimationFrame(then), milliseconds);
}
