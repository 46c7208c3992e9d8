// Tables of the sites: fit and traffic, or for a coordinator the traffic only.
import { h, section, table, type Cell } from '../dom';
import { siteSummaries, type RunDocument, type SiteSummary, type StudySite } from '../document';
import { bytes, number } from '../format';
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

export function sitesSection(run: RunDocument): HTMLElement | null {
  const sites = siteSummaries(run.summary);
  if (sites.length === 0) return null;
  if (run.kind === 'coordinator') return trafficSection(sites);
  const truth = sites.some((s) => s.error_to_truth !== undefined);
  const alone = sites.map((s) => errorAlone(run, s.name));
  const hasAlone = alone.some((e) => e !== null);
  const headings = ['Site', 'Measures', '\u2016A w \u2212 b\u2016', 'Fitted noise level',
    ...(truth ? ['Distance to truth'] : []), ...(hasAlone ? ['Distance, site alone'] : []),
    'Sent', 'Received', 'SHA-256 of the data'];
  const rows = sites.map((site, k): Cell[] => [
    site.name,
    describe(run.study?.sites.find((s) => s.name === site.name)),
    number(site.residual),
    number(site.discrepancy, 3),
    ...(truth ? [number(site.error_to_truth)] : []),
    ...(hasAlone ? [number(alone[k])] : []),
    bytes(site.bytes_up),
    bytes(site.bytes_down),
    h('code', { title: site.data_sha256 ?? '' }, (site.data_sha256 ?? '').slice(0, 12)),
  ]);
  const level = Number(run.summary.options?.['stop.discrepancy'] ?? 0);
  const sent = run.kind === 'recon'
    ? 'Sent and received: bytes that the site would exchange in a federation; nothing has left ' +
      'this process.'
    : 'Sent and received: shares and sums. The ledger.jsonl of a site lists every message it sent.';
  return section('sites', 'Sites', table('Fit and traffic of each site', headings, rows),
    h('p', { class: 'hint' }, (level > 0 ? `The run stops at a noise level of ${level} or less. `
      : '') + sent));
}
