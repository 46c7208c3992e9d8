// Report: all panels of a report, in the order of the page.
import { AbsorptionPanel } from '../charts/absorption_panel';
import { certificateSection } from './certificate';
import { ConvergencePanel } from '../charts/convergence_panel';
import type { RunDocument } from '../document';
import { ImagesPanel } from '../images/images_panel';
import { LazyPanel } from './lazy_panel';
import { overview } from './overview';
import { textPanel, type Change, type Panel } from '../panel';
import { PriorPanel } from '../charts/prior_panel';
import { ScanPanel } from '../charts/scan_panel';
import { SinogramsPanel } from '../images/sinograms_panel';
import { sitesSection } from './sites';
import { studySection } from './study';
import { WarningsPanel } from './warnings';

export class Report {
  private readonly panels: Panel[] = [
    textPanel('overview', overview),
    new WarningsPanel(),
    new LazyPanel(new ImagesPanel()),
    textPanel('certificate', certificateSection),
    textPanel('sites', sitesSection),
    new LazyPanel(new ConvergencePanel()),
    new LazyPanel(new PriorPanel()),
    new LazyPanel(new ScanPanel()),
    new LazyPanel(new AbsorptionPanel()),
    new SinogramsPanel(),
    textPanel('study', studySection),
  ];
  readonly elements = this.panels.map((p) => p.element);

  update(run: RunDocument, change: Change): void {
    for (const panel of this.panels) panel.update(run, change);
  }
}
