// Pause, Go on and Stop, and the field for the token that they need.
import { button, group, h } from './dom';
import { hasEnded, type Live } from './document';
import type { Command, Connection, Control } from './source';

const words: Record<Command, string> = {
  pause: 'Pause', resume: 'Go on', stop: 'Stop',
};
// A round may take long: until it is over, nothing else tells that the run has heard.
const promises: Partial<Record<Command, string>> = { stop: 'The run will stop after this round.' };

export class Controls {
  readonly element = h('div', { class: 'controls' });
  private readonly pause = button('Pause', () => void this.send('pause'));
  private readonly resume = button('Go on', () => void this.send('resume'));
  private readonly stop = button('Stop', () => this.ask(true));
  private readonly sure = button('Stop the run', () => {
    this.ask(false);
    void this.send('stop');
  });
  private readonly buttons = group('The run', this.pause, this.resume, this.stop);
  private readonly question: HTMLElement;
  private readonly why = h('p', { class: 'hint', hidden: true },
    'Pausing and stopping need the token of the address that the program printed.');
  private readonly field: HTMLElement;
  private live: Live | undefined;
  private connection: Connection = 'open';
  private wrong = false;

  /** `tell` gets what has become of a command, or nothing. */
  constructor(private readonly control: Control, private readonly tell: (text: string) => void) {
    this.question = h('div', { class: 'group question', role: 'group', hidden: true,
      'aria-label': 'Stop the run?' },
    h('span', {}, 'Stop after the next round? A checkpoint is kept.'), this.sure,
    button('Let it run', () => this.ask(false)));
    this.question.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.ask(false);
    });
    this.field = tokenField(control, () => {
      this.wrong = false;
      this.tell('');
      this.show();
    });
    this.element.append(this.buttons, this.question, this.why, this.field);
  }

  update(live: Live | undefined, connection: Connection): void {
    this.live = live;
    this.connection = connection;
    this.show();
  }

  private show(): void {
    const { live } = this;
    const controlled = live !== undefined && live.control && !hasEnded(live);
    const refused = this.connection === 'refused';
    const able = controlled && this.control.hasToken && this.connection === 'open';
    this.buttons.hidden = !controlled;
    const pauses = live?.state === 'pausing' || live?.state === 'paused';
    this.pause.disabled = !able || pauses;
    this.resume.disabled = !able || !pauses;
    this.stop.disabled = this.sure.disabled = !able;
    if (!controlled) this.question.hidden = true;
    this.why.hidden = !controlled || refused || this.control.hasToken;
    this.field.hidden = !refused && (!controlled || (this.control.hasToken && !this.wrong));
  }

  // The page asks by itself: a window of the browser would hold up everything else.
  private ask(open: boolean): void {
    this.question.hidden = !open;
    this.stop.hidden = open;
    (open ? this.sure : this.stop).focus();
  }

  private async send(command: Command): Promise<void> {
    this.tell('');
    const refused = await this.control.send(command);
    this.wrong = refused === 'wrong token';
    this.tell(refused ? `${words[command]}: ${refused}` : promises[command] ?? '');
    this.show();
  }
}

function tokenField(control: Control, taken: () => void): HTMLElement {
  const input = h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false',
    placeholder: '#token=\u2026' });
  const take = () => {
    if (!input.value.trim()) return;
    control.setToken(input.value);
    input.value = '';
    taken();
  };
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') take();
  });
  return h('div', { class: 'group token', hidden: true },
    h('label', { class: 'choice' }, 'Token', input), button('Take it', take));
}
