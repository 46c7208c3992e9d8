// The parts of a report, in their order.
import { certificateSection } from './certificate';
import { CurvesPanel } from './curves';
import type { RunDocument } from './document';
import { ImagesPanel } from './images';
import { InSight } from './in_sight';
import { overview } from './overview';
import { textPanel, type Change, type Panel } from './panel';
import { SinogramsPanel } from './sinograms';
import { sitesSection } from './sites';
import { studySection } from './study';

export class Report {
  private readonly panels: Panel[] = [
    textPanel('overview', overview),
    new InSight(new ImagesPanel()),
    textPanel('certificate', certificateSection),
    textPanel('sites', sitesSection),
    new InSight(new CurvesPanel()),
    new SinogramsPanel(),
    textPanel('study', studySection),
  ];
  readonly elements = this.panels.map((p) => p.element);

  update(run: RunDocument, change: Change): void {
    for (const panel of this.panels) panel.update(run, change);
  }
}
