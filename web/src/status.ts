// The state of a run that goes on: above everything else, with what it can be asked to do.
import { Controls } from './controls';
import { h, section, table } from './dom';
import { hasEnded, type Live, type LiveSite, type RunDocument } from './document';
import { bytes, integer } from './format';
import { clock, leftText, roundText, siteStates, stateText } from './live_text';
import { MessageList } from './messages';
import type { Change, Panel } from './panel';
import type { Connection, Control } from './source';

const troubles: Partial<Record<Connection, string>> = {
  lost: 'The run\u2019s server does not answer; trying again',
  refused: 'This page needs the address that the program printed, with its token',
  unreadable: 'The server has no document that this page can show: load the page again',
};

const endings: Partial<Record<Connection, string>> = {
  ending: 'The report is on its way.',
  incomplete: 'The report has not come: it is in the run directory, and firm view shows it.',
};

export class StatusPanel implements Panel {
  readonly element = h('div', { 'data-panel': 'status', hidden: true });
  // What a screen reader says by itself: the state, not every round.
  private readonly state = h('p', { class: 'headline' });
  private readonly answer = h('p', { class: 'answer', hidden: true });
  private readonly stage = h('p', { class: 'hint', hidden: true });
  private readonly bar = h('progress', { 'aria-label': 'Part of the run that is done', max: 1,
    hidden: true });
  private readonly facts = new Facts();
  private readonly sites = h('div', { hidden: true });
  private readonly messages = new MessageList();
  private readonly controls: Controls;
  private shownSites = '';
  private run: RunDocument | undefined;
  private connected: Connection = 'open';
  private seenRunning = false;

  constructor(control: Control) {
    this.controls = new Controls(control, (text) => this.tell(text));
    this.element.append(section('run', 'Run',
      h('div', { role: 'status', 'aria-live': 'polite' }, this.state, this.answer), this.stage,
      this.bar, this.facts.element, this.controls.element,
      h('div', { class: 'run-parts' }, this.sites, this.messages.element)));
  }

  connection(state: Connection): void {
    this.connected = state;
    this.show();
    if (state !== 'open') this.tell(endings[state] ?? '');
  }

  update(run: RunDocument, change: Change): void {
    this.run = run;
    if (change !== 'all' && change !== 'status') return;
    this.seenRunning ||= run.live !== undefined && !hasEnded(run.live);
    this.show();
  }

  private tell(answer: string): void {
    this.answer.hidden = answer === '';
    this.answer.textContent = answer;
  }

  private show(): void {
    const live = this.run?.live;
    const trouble = troubles[this.connected];
    // Of a run that had ended before somebody looked there is nothing to say.
    this.element.hidden = !trouble &&
      (!live || (hasEnded(live) && !live.control && !this.seenRunning));
    this.element.dataset['state'] = trouble ? 'lost' : live?.state ?? '';
    const text = trouble ?? (live ? stateText(this.run!) : '');
    if (this.state.textContent !== text) {
      this.state.textContent = text;
      this.tell(''); // It was about the state before.
    }
    this.controls.update(live, this.connected);
    if (live) this.showRun(live);
  }

  private showRun(live: Live): void {
    const over = hasEnded(live);
    this.stage.textContent = live.stage;
    this.stage.hidden = this.state.textContent!.includes(live.stage);
    const counts = this.run!.kind === 'coordinator'; // sums, and no rounds
    this.bar.hidden = live.progress === null || over;
    this.bar.value = live.progress ?? 0;
    const chunks = live.chunks > 1;
    const round = !counts && (live.round > 0 || live.limit > 0) ? roundText(live) : '';
    this.facts.set('Round', chunks ? '' : round);
    this.facts.set('Round of this chunk', chunks ? round : '');
    this.facts.set('Chunk of slices',
      chunks ? `${Math.min(live.chunk + 1, live.chunks)} of ${live.chunks}` : '');
    // Of a federation, where there is one.
    const attempt = live.attempt ?? 0;
    const sums = counts ? live.round : live.sums ?? 0;
    this.facts.set('Sums over sites', attempt > 0 ? integer(sums) : '');
    this.facts.set('Attempt', attempt > 0 ? String(attempt) : '');
    this.facts.set('Elapsed', clock(live.seconds));
    this.facts.set('To go', leftText(live));
    this.showSites(live.sites ?? [], over);
    this.messages.show(live.messages);
  }

  /** `over`: whether the run has ended, and a site on its own page does nothing any more. */
  private showSites(sites: LiveSite[], over: boolean): void {
    const states = !over || this.run!.kind !== 'site';
    const key = JSON.stringify([sites, states]);
    if (key === this.shownSites) return;
    this.shownSites = key;
    this.sites.hidden = sites.length === 0;
    // Of a site, what it has sent; of a coordinator, what has come from each and left for it.
    const counts: [string, (site: LiveSite) => string | undefined][] = [
      ['Received', (s) => s.bytes_up === undefined ? undefined : bytes(s.bytes_up)],
      ['Sent', (s) => {
        const sent = s.bytes ?? s.bytes_down;
        return sent === undefined ? undefined : bytes(sent);
      }],
      ['Messages', (s) => s.messages === undefined ? undefined : integer(s.messages)],
    ];
    const shown = counts.filter(([, of]) => sites.some((s) => of(s) !== undefined));
    const rows = sites.map((site) => [site.name,
      ...(states ? [h('span', { class: 'site-state', 'data-state': site.state,
        title: siteStates[site.state] ?? '' }, site.state)] : []),
      ...shown.map(([, of]) => of(site) ?? '')]);
    this.sites.replaceChildren(table('Sites', ['Site', ...(states ? ['State'] : []),
      ...shown.map(([name]) => name)], rows));
  }
}

/** Names and values; one without a value is not shown. */
class Facts {
  readonly element = h('dl', { class: 'facts' });
  private readonly places = new Map<string, { pair: HTMLElement; value: HTMLElement }>();

  set(name: string, text: string): void {
    let place = this.places.get(name);
    if (!place) {
      const value = h('dd');
      place = { pair: h('div', {}, h('dt', {}, name), value), value };
      this.places.set(name, place);
      this.element.append(place.pair);
    }
    place.pair.hidden = text === '';
    if (place.value.textContent !== text) place.value.textContent = text;
  }
}
