// StatusPanel: state, progress, controls, sites and messages of a run, at the top of the page.
import { Controls } from './controls';
import { h, section, table, type Cell } from '../dom';
import { hasEnded, type Live, type LiveSite, type RunDocument } from '../document';
import { fitMark } from '../fit';
import { bytes, integer } from '../format';
import { clock, remainingText, roundText, siteStates, stateText } from './status_text';
import { MessageList } from './message_list';
import type { Change, Panel } from '../panel';
import type { Connection, Control } from '../source';

const connectionErrors: Partial<Record<Connection, string>> = {
  lost: 'The server of this run does not answer; retrying',
  refused: 'Access denied: open the whole address that the program printed, with its token',
  unreadable: 'This page cannot read the document of the server; reload the page',
};

const endNotes: Partial<Record<Connection, string>> = {
  ending: 'Loading the report.',
  incomplete: 'The report did not arrive. Open report.html in the run directory, or use firm view.',
};

export class StatusPanel implements Panel {
  readonly element = h('div', { 'data-panel': 'status', hidden: true });
  // Screen readers announce the state and the result of a command, but not every round.
  private readonly state = h('p', { class: 'headline' });
  private readonly result = h('p', { class: 'result', hidden: true });
  private readonly stage = h('p', { class: 'hint', hidden: true });
  private readonly bar = h('progress', { 'aria-label': 'Progress of the run', max: 1,
    hidden: true });
  private readonly facts = new Facts();
  private readonly sites = h('div', { hidden: true });
  private readonly messages = new MessageList();
  private readonly controls: Controls;
  private shownSites = '';
  private run: RunDocument | undefined;
  private connected: Connection = 'open';
  private wasRunning = false;

  constructor(control: Control) {
    this.controls = new Controls(control, (text) => this.showResult(text));
    this.element.append(section('run', 'Run',
      h('div', { role: 'status', 'aria-live': 'polite' }, this.state, this.result), this.stage,
      this.bar, this.facts.element, this.controls.element,
      h('div', { class: 'run-parts' }, this.sites, this.messages.element)));
  }

  connection(state: Connection): void {
    this.connected = state;
    this.show();
    if (state !== 'open') this.showResult(endNotes[state] ?? '');
  }

  update(run: RunDocument, change: Change): void {
    this.run = run;
    if (change === 'images') return;
    this.wasRunning ||= run.live !== undefined && !hasEnded(run.live);
    this.show();
  }

  private showResult(text: string): void {
    this.result.hidden = text === '';
    this.result.textContent = text;
  }

  private show(): void {
    const live = this.run?.live;
    const error = connectionErrors[this.connected];
    // A run that had ended before the page was opened has no status to show.
    this.element.hidden = !error &&
      (!live || (hasEnded(live) && !live.control && !this.wasRunning));
    this.element.dataset['state'] = error ? 'lost' : live?.state ?? '';
    const text = error ?? (live ? stateText(this.run!) : '');
    if (this.state.textContent !== text) {
      this.state.textContent = text;
      this.showResult(''); // It belongs to the previous state.
    }
    this.controls.update(live, this.connected);
    if (live) this.showRun(live);
  }

  private showRun(live: Live): void {
    const over = hasEnded(live);
    this.stage.textContent = live.stage;
    this.stage.hidden = this.state.textContent!.includes(live.stage);
    const countsSums = this.run!.kind === 'coordinator'; // a coordinator has no rounds
    this.bar.hidden = live.progress === null || over;
    this.bar.value = live.progress ?? 0;
    const chunks = live.chunks > 1;
    const round = !countsSums && (live.round > 0 || live.limit > 0) ? roundText(live) : '';
    this.facts.set('Round', chunks ? '' : round);
    this.facts.set('Round of this chunk', chunks ? round : '');
    this.facts.set('Chunk of slices',
      chunks ? `${Math.min(live.chunk + 1, live.chunks)} of ${live.chunks}` : '');
    const attempt = live.attempt ?? 0; // only in a federation
    const sums = countsSums ? live.round : live.sums ?? 0;
    this.facts.set('Sums over sites', attempt > 0 ? integer(sums) : '');
    this.facts.set('Attempt', attempt > 0 ? String(attempt) : '');
    this.facts.set('Elapsed', clock(live.seconds));
    this.facts.set('Remaining', remainingText(live));
    this.showSites(sitesWithFits(this.run!), over);
    this.messages.show(live.messages);
  }

  /** Omits the state of a site on its own page once the run is `over`. */
  private showSites(sites: SiteRow[], over: boolean): void {
    const withState = sites.some((s) => s.state) && (!over || this.run!.kind !== 'site');
    const key = JSON.stringify([sites, withState]);
    if (key === this.shownSites) return;
    this.shownSites = key;
    this.sites.hidden = sites.length === 0;
    // The page of a site counts what it has sent; the coordinator's page also what it received.
    const counts: [string, (site: SiteRow) => Cell | undefined][] = [
      ['Fit', (s) => s.fit === undefined ? undefined : fitMark(s.fit)],
      ['Received', (s) => s.bytes_up === undefined ? undefined : bytes(s.bytes_up)],
      ['Sent', (s) => {
        const sent = s.bytes ?? s.bytes_down;
        return sent === undefined ? undefined : bytes(sent);
      }],
      ['Messages', (s) => s.messages === undefined ? undefined : integer(s.messages)],
    ];
    const shown = counts.filter(([, textOf]) => sites.some((s) => textOf(s) !== undefined));
    const rows = sites.map((site) => [site.name,
      ...(withState ? [stateCell(site)] : []),
      ...shown.map(([, textOf]) => textOf(site) ?? '')]);
    this.sites.replaceChildren(table('Sites', ['Site', ...(withState ? ['State'] : []),
      ...shown.map(([name]) => name)], rows));
  }
}

/** A site that the server lists, or one of which only the fit is known. */
type SiteRow = Partial<LiveSite> & { name: string; fit?: number | undefined };

/** The sites of the server, then other sites with a fit; each with the fit of its last round. */
export function sitesWithFits(run: RunDocument): SiteRow[] {
  const fits = new Map((run.curves ?? []).filter((c) => c.key === 'fit')
    .map((c) => [c.site, c.value[c.value.length - 1]]));
  const rows: SiteRow[] = (run.live?.sites ?? []).map((s) => ({ ...s, fit: fits.get(s.name) }));
  for (const [name, fit] of fits) {
    if (!rows.some((r) => r.name === name)) rows.push({ name, fit });
  }
  return rows;
}

function stateCell({ state }: SiteRow): Cell {
  return state === undefined ? '' : h('span', { class: 'site-state', 'data-state': state,
    title: siteStates[state] ?? '' }, state);
}

/** A list of names and values; hides a name without a value. */
class Facts {
  readonly element = h('dl', { class: 'facts' });
  private readonly entries = new Map<string, { pair: HTMLElement; value: HTMLElement }>();

  set(name: string, text: string): void {
    let entry = this.entries.get(name);
    if (!entry) {
      const value = h('dd');
      entry = { pair: h('div', {}, h('dt', {}, name), value), value };
      this.entries.set(name, entry);
      this.element.append(entry.pair);
    }
    entry.pair.hidden = text === '';
    if (entry.value.textContent !== text) entry.value.textContent = text;
  }
}
