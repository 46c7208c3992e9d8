// The document of a run that goes on, as the events of its server make it grow.
import type { Curve, Live, RunDocument, StackSet } from './document';
import { append } from './thinned';

export class LiveRun {
  document: RunDocument | undefined;

  /** A document without images keeps those that are shown, until there are newer ones. */
  begin(document: RunDocument): void {
    const before = this.document?.images;
    this.document = document;
    if (!document.images && before && (document.live?.images ?? 0) > 0) document.images = before;
  }

  status(live: Live): void {
    if (this.document) this.document.live = live;
  }

  rounds(curves: Curve[]): void {
    if (!this.document) return;
    const known = (this.document.curves ??= []);
    for (const more of curves) {
      const curve = known.find((c) => c.key === more.key && (c.site ?? '') === (more.site ?? ''));
      if (curve) append(curve, more);
      else known.push(more);
    }
  }

  images(set: StackSet): void {
    if (this.document) this.document.images = set;
  }
}
