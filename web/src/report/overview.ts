// The head of the report: kind of the run, how it ended, and its main numbers.
import { h } from '../dom';
import { isRunning, siteSummaries, type RunDocument, type Summary } from '../document';
import { fitStatement } from '../fit';
import { bytes, integer, number, seconds } from '../format';

const kinds: Record<RunDocument['kind'], string> = {
  recon: 'Reconstruction of all sites in one process',
  site: 'One site of a federation: this page holds images and data of this site only',
  federation: 'All sites of a federation, joined on one page',
  coordinator: 'Coordinator of a federation',
};

function ending(summary: Summary): string {
  const end = summary.termination;
  if (!end) return '';
  const rounds = summary.rounds ?? 0;
  // The stop rule quotes the last round; the certificate is that of the final images.
  const rule = end.reason === 'kkt' ? '; in the last round, ' : ': ';
  return `${summary.method} ${end.converged ? 'converged' : 'stopped before converging'} after ` +
    `${integer(rounds)} round${rounds === 1 ? '' : 's'}${rule}${end.message}.`;
}

function facts(run: RunDocument): [string, string][] {
  const { summary } = run;
  const sites = siteSummaries(summary);
  const list: [string, string][] = [];
  if (summary.method) list.push(['Method', summary.method]);
  if (summary.rounds !== undefined) list.push(['Rounds', integer(summary.rounds)]);
  if (summary.objective !== undefined) list.push(['Objective f', number(summary.objective)]);
  if (summary.kkt) list.push(['Relative KKT (certificate)', number(summary.kkt.relative, 3)]);
  if (summary.kkt) list.push(['\u2016D w\u2016', number(summary.kkt.primal, 3)]);
  if (summary.error_to_truth) {
    list.push(['Distance to truth', number(summary.error_to_truth.total)]);
  }
  if (run.kind === 'coordinator' && sites.length > 0) list.push(['Sites', String(sites.length)]);
  if (summary.run) list.push(['Run', summary.run]);
  if (summary.attempts !== undefined) list.push(['Attempts', String(summary.attempts)]);
  if (summary.exchanges !== undefined) list.push(['Sums over sites', integer(summary.exchanges)]);
  // While the run goes on, the status above shows the time.
  if (!isRunning(run)) list.push(['Time', seconds(summary.seconds)]);
  if (run.kind === 'coordinator') list.push(['Version', summary.version]);
  if (sites.length > 0 && run.kind !== 'coordinator') {
    list.push(['Sent per site', bytes(Math.max(...sites.map((s) => s.bytes_up)))]);
  }
  return list;
}

export function overview(run: RunDocument): HTMLElement {
  const { summary } = run;
  const ended = ending(summary);
  const fit = fitStatement(run);
  return h('div', { class: 'overview' },
    h('p', { class: 'kind' }, kinds[run.kind]),
    fit ? h('p', { class: 'headline verdict', 'data-fit': fit.verdict },
      h('strong', {}, fit.text), fit.text && fit.note ? ' ' : '', fit.note) : null,
    ended ? h('p', { class: 'headline' }, ended) : null,
    run.kind === 'coordinator'
      ? h('p', {}, 'A coordinator adds up the messages of the sites and has neither images nor ' +
        'curves: see the reports of the sites.') : null,
    h('dl', { class: 'facts' },
      ...facts(run).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))),
    ...(run.notes ?? []).map((note) => h('p', { class: 'note' }, note)));
}
