// LiveRun: the document of a running reconstruction, updated by the events of its server.
import type { Curve, Live, RunDocument, StackSet } from '../document';
import { append } from '../charts/thinned_curve';

export class LiveRun {
  document: RunDocument | undefined;

  /** Replaces the document. Keeps the images shown so far if the new document has none yet. */
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
