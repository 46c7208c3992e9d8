// Tables of the sites: fit, noise and traffic, or for a coordinator the traffic only.
import { h, section, table, type Cell } from '../dom';
import { siteSummaries, type RunDocument, type SiteSummary, type StudySite } from '../document';
import { fitMark, goodFits } from '../fit';
import { bytes, number, withUnit } from '../format';
import { distance, Stack } from '../images/stack';

// ||alone - truth|| of a site; null unless the page holds all slices of both at full precision.
export function errorAlone(run: RunDocument, site: string): number | null {
  const set = run.images;
  if (!set || set.slices.length < set.all_slices || set.reduction > 1) return null;
  const find = (view: string) => set.stacks.find((s) => s.site === site && s.view === view);
  const [truth, alone] = [find('truth'), find('alone')];
  if (!truth || !alone || truth.bits !== 32 || alone.bits !== 32) return null;
  const [a, b] = [new Stack(alone), new Stack(truth)];
  return Math.hypot(...set.slices.map((_, k) => distance(a.slice(k), b.slice(k))));
}

function describe(site: StudySite | undefined): string {
  if (!site) return '';
  if (site.kind === 'xrt') return 'XRT';
  return `XRF${site.element ? ` ${site.element}` : ''}, c = ${number(site.coefficient)} cm\u00b2/g`;
}

// A coordinator knows only the traffic of its sites.
function trafficSection(sites: SiteSummary[]): HTMLElement {
  return section('traffic', 'Sites', table('Traffic of each site', ['Site', 'Received', 'Sent'],
    sites.map((site) => [site.name, bytes(site.bytes_up), bytes(site.bytes_down)])),
  h('p', { class: 'hint' }, 'Received: bytes from the site, as in its ledger.jsonl unless a ' +
    'connection was lost. Sent: bytes to the site.'));
}

const noiseSources: Record<string, string> = {
  given: 'given in the study',
  counts: 'counts',
  estimated: 'estimated',
  guess: 'estimated, only for the fit',
};

// Unit of the prepared data of a site, and thus of its noise.
function dataUnit(site: StudySite | undefined): string {
  return site?.kind === 'xrf' ? 'g/cm^2' : '1';
}

function sigmaOf(site: SiteSummary): number | null {
  return site.sigma ?? site.preparation?.sigma ?? null;
}

/** sigma as a fraction of the largest value of the data, like a noise level. With m values of which
 *  the largest is b, residual = fit sigma sqrt(m) and full_scale = b sqrt(m). */
export function relativeSigma({ residual, full_scale: scale, fit }: SiteSummary): number | null {
  return residual && scale && fit ? residual / scale / fit : null;
}

interface Column {
  heading: string;
  cell: (site: SiteSummary) => Cell;
  /** Leaves the column out if it is false. */
  shown?: boolean;
}

function fitColumns(run: RunDocument, sites: SiteSummary[]): Column[] {
  const studySite = (site: SiteSummary) => run.study?.sites.find((s) => s.name === site.name);
  const alone = new Map(sites.map((s) => [s.name, errorAlone(run, s.name)]));
  const some = (known: (site: SiteSummary) => boolean) => sites.some(known);
  const columns: Column[] = [
    { heading: 'Measures', cell: (s) => describe(studySite(s)) },
    { heading: 'Fit', cell: (s) => fitMark(s.fit, s.contradicted),
      shown: some((s) => s.fit !== undefined) },
    { heading: 'Fit, site alone', cell: (s) => number(s.fit_alone, 3),
      shown: some((s) => s.fit_alone !== undefined) },
    { heading: 'From other sites', shown: some((s) => s.others_share !== undefined),
      cell: (s) => typeof s.others_share === 'number'
        ? `${Math.round(100 * s.others_share)} %` : '\u2013' },
    { heading: '\u2016A w \u2212 b\u2016', cell: (s) => number(s.residual) },
    { heading: 'Fitted noise level', cell: (s) => number(s.discrepancy, 3) },
    { heading: 'Noise \u03c3', shown: some((s) => sigmaOf(s) !== null), cell: (s) => {
      const sigma = sigmaOf(s);
      return sigma === null ? '\u2013' : withUnit(sigma, dataUnit(studySite(s)), 3);
    } },
    { heading: 'Noise level of \u03c3', cell: (s) => number(relativeSigma(s), 3),
      shown: some((s) => relativeSigma(s) !== null) },
    { heading: 'Source of \u03c3', shown: some((s) => s.sigma_source !== undefined),
      cell: (s) => noiseSources[s.sigma_source ?? ''] ?? s.sigma_source ?? '\u2013' },
    { heading: 'Distance to truth', cell: (s) => number(s.error_to_truth),
      shown: some((s) => s.error_to_truth !== undefined) },
    { heading: 'Distance, site alone', cell: (s) => number(alone.get(s.name)),
      shown: [...alone.values()].some((e) => e !== null) },
  ];
  return columns.filter((c) => c.shown !== false);
}

function fitHint(run: RunDocument, sites: SiteSummary[]): string {
  const level = Number(run.summary.options?.['stop.discrepancy'] ?? 0);
  const sentences = ['Noise levels are fractions of the largest value of the data; the fitted one ' +
    'is the root mean square of A w \u2212 b in the worst slice.'];
  if (level > 0) sentences.push(`The run stops at a fitted noise level of ${level} or less.`);
  if (sites.some((s) => sigmaOf(s) !== null)) {
    sentences.push('\u03c3 is the standard deviation of the noise, in the unit of the prepared data.');
  }
  if (sites.some((s) => s.fit !== undefined)) {
    sentences.push('Fit is the root mean square of (A w \u2212 b) / \u03c3 over the values that ' +
      `count: ${goodFits.low} to ${goodFits.high} is good; above, the images miss the data; below, ` +
      'they fit its noise.');
  }
  if (sites.some((s) => s.fit_alone !== undefined)) {
    sentences.push('Fit, site alone: of an image made from the data of the site alone. A site that ' +
      'is fitted alone, but not jointly, is missed, too; "from other sites" is the part of its ' +
      'squared misfit that it does not have alone.');
  }
  return sentences.join(' ');
}

function trafficTable(sites: SiteSummary[]): HTMLElement {
  return table('Traffic and data of each site', ['Site', 'Sent', 'Received', 'SHA-256 of the data'],
    sites.map((site) => [site.name, bytes(site.bytes_up), bytes(site.bytes_down),
      h('code', { title: site.data_sha256 ?? '' }, (site.data_sha256 ?? '').slice(0, 12))]));
}

export function sitesSection(run: RunDocument): HTMLElement | null {
  const sites = siteSummaries(run.summary);
  if (sites.length === 0) return null;
  if (run.kind === 'coordinator') return trafficSection(sites);
  const columns = fitColumns(run, sites);
  const rows = sites.map((site): Cell[] => [site.name, ...columns.map((c) => c.cell(site))]);
  const sent = run.kind === 'recon'
    ? 'Sent and received: bytes that the site would exchange in a federation; nothing has left ' +
      'this process.'
    : 'Sent and received: shares and sums. The ledger.jsonl of a site lists every message it sent.';
  return section('sites', 'Sites',
    table('Fit of each site', ['Site', ...columns.map((c) => c.heading)], rows),
    h('p', { class: 'hint' }, fitHint(run, sites)),
    trafficTable(sites), h('p', { class: 'hint' }, sent));
}
