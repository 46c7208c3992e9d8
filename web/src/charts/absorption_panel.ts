// AbsorptionPanel: self-absorption of each XRF site: its line, how much of its fluorescence is kept,
// masses in each outer round, and images of T.
import { Chart, type Series } from './chart';
import { h, section, table, type Cell } from '../dom';
import type { RunDocument, Study, Summary } from '../document';
import { number } from '../format';
import { TransmittanceView } from '../images/transmittance_view';
import type { Change, Panel } from '../panel';

const none = '\u2013';

function substanceOf(study: Study | undefined, site: string): { substance: string; line: string } {
  const found = study?.sites.find((s) => s.name === site);
  return { substance: found?.compound ?? found?.element ?? none, line: found?.line ?? none };
}

export const absorptionHeadings = ['Site', 'Substance', 'Line', 'Beam, keV', 'Line, keV',
  'Fluorescence kept', 'Mass, g', 'Mass without correction, g'];

export function absorptionRows(summary: Summary, study: Study | undefined): Cell[][] {
  return Object.entries(summary.absorption?.sites ?? {}).map(([name, site]) => {
    const { substance, line } = substanceOf(study, name);
    const kept = summary.kept_fraction?.[name];
    return [name, substance, line, number(site.incident_energy), number(site.line_energy),
      kept === undefined ? none : `${number(100 * kept, 3)} %`,
      number(site.masses.at(-1)), number(site.masses[0])];
  });
}

/** Masses over those found without correction, which are the first. */
export function massSeries(summary: Summary): Series[] {
  return Object.entries(summary.absorption?.sites ?? {}).flatMap(([label, { masses }], colour) => {
    const [first] = masses;
    return first ? [{ label, x: masses.map((_, k) => k), y: masses.map((m) => m / first), colour }]
      : [];
  });
}

export function absorptionText(summary: Summary): string {
  const { attenuation, start } = summary.absorption!;
  const count = summary.outer_rounds ?? 0;
  const rounds = `${count} outer round${count === 1 ? '' : 's'}`;
  return attenuation === 'xrt'
    ? 'Computed once, from the image of XRT alone and the matrix of the study.'
    : `Computed from the images of all elements in ${rounds}, which started from images ` +
      `${start === 'xrt' ? 'scaled to XRT' : 'found without correction'}.`;
}

export class AbsorptionPanel implements Panel {
  readonly element = h('div', { 'data-panel': 'absorption' });
  private readonly text = h('p');
  private readonly numbers = h('div');
  private readonly pictures = h('div');
  private chart: Chart | undefined;
  private transmittance: TransmittanceView | undefined;

  update(run: RunDocument, change: Change): void {
    if (change !== 'all') return;
    if (!run.summary.absorption) {
      this.clear();
      return;
    }
    if (!this.chart) this.build();
    this.text.textContent = absorptionText(run.summary);
    const rows = absorptionRows(run.summary, run.study);
    // The site of XRT has no fluorescence.
    this.numbers.replaceChildren(...(rows.length > 0
      ? [table('Each site with fluorescence', absorptionHeadings, rows)] : []));
    const series = massSeries(run.summary);
    this.chart!.element.hidden = series.length === 0;
    this.chart!.draw({ xLabel: 'outer round', yLabel: '' }, series);
    this.show(run);
  }

  private show(run: RunDocument): void {
    this.transmittance?.dispose();
    this.transmittance = run.transmittance
      ? new TransmittanceView(run.transmittance, run.study?.pixel_size ?? 0) : undefined;
    this.pictures.replaceChildren(...(this.transmittance ? [this.transmittance.element] : []));
  }

  private clear(): void {
    this.chart?.dispose();
    this.chart = undefined;
    this.transmittance?.dispose();
    this.transmittance = undefined;
    this.element.replaceChildren();
  }

  private build(): void {
    this.chart = new Chart('Mass over that without correction');
    this.element.replaceChildren(section('absorption', 'Self-absorption', this.text,
      h('div', { class: 'charts' }, this.chart.element), this.numbers,
      h('p', { class: 'hint' }, 'Round 0 is without correction; the last point of a finished run ' +
        'is that of its images. Masses that still change in the last rounds are not found yet: ' +
        'raise absorption.rounds.'),
      this.pictures));
  }
}
