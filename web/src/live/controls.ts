// Controls: the buttons Pause, Resume and Stop, and the field for the token that they need.
import { button, group, h } from '../dom';
import { hasEnded, type Live } from '../document';
import type { Command, Connection, Control } from '../source';

const labels: Record<Command, string> = {
  pause: 'Pause', resume: 'Resume', stop: 'Stop',
};
// A round may take long, and the state does not change before its end.
const confirmations: Partial<Record<Command, string>> = {
  stop: 'The run will stop after this round.',
};

export class Controls {
  readonly element = h('div', { class: 'controls' });
  private readonly pause = button(labels.pause, () => void this.send('pause'));
  private readonly resume = button(labels.resume, () => void this.send('resume'));
  private readonly stop = button(labels.stop, () => this.askForStop(true));
  private readonly confirmStop = button('Stop the run', () => {
    this.askForStop(false);
    void this.send('stop');
  });
  private readonly buttons = group('The run', this.pause, this.resume, this.stop);
  private readonly question: HTMLElement;
  private readonly tokenHint = h('p', { class: 'hint', hidden: true },
    'To pause or stop the run, enter the token from the address that the program printed.');
  private readonly field: HTMLElement;
  private live: Live | undefined;
  private connection: Connection = 'open';
  private wrongToken = false;

  /** Calls `showResult` with the result of a command, or with '' to clear it. */
  constructor(private readonly control: Control,
    private readonly showResult: (text: string) => void) {
    this.question = h('div', { class: 'group question', role: 'group', hidden: true,
      'aria-label': 'Stop the run?' },
    h('span', {}, 'Stop after this round? The run keeps a checkpoint.'), this.confirmStop,
    button('Keep running', () => this.askForStop(false)));
    this.question.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.askForStop(false);
    });
    this.field = tokenField(control, () => {
      this.wrongToken = false;
      this.showResult('');
      this.show();
    });
    this.element.append(this.buttons, this.question, this.tokenHint, this.field);
  }

  update(live: Live | undefined, connection: Connection): void {
    this.live = live;
    this.connection = connection;
    this.show();
  }

  private show(): void {
    const { live } = this;
    const controllable = live !== undefined && live.control && !hasEnded(live);
    const refused = this.connection === 'refused';
    const enabled = controllable && this.control.hasToken && this.connection === 'open';
    this.buttons.hidden = !controllable;
    const paused = live?.state === 'pausing' || live?.state === 'paused';
    this.pause.disabled = !enabled || paused;
    this.resume.disabled = !enabled || !paused;
    this.stop.disabled = this.confirmStop.disabled = !enabled;
    if (!controllable) this.question.hidden = true;
    this.tokenHint.hidden = !controllable || refused || this.control.hasToken;
    this.field.hidden = !refused && (!controllable || (this.control.hasToken && !this.wrongToken));
  }

  // Asks on the page: a dialog of the browser would block the updates.
  private askForStop(open: boolean): void {
    this.question.hidden = !open;
    this.stop.hidden = open;
    (open ? this.confirmStop : this.stop).focus();
  }

  private async send(command: Command): Promise<void> {
    this.showResult('');
    const refusal = await this.control.send(command);
    this.wrongToken = refusal === 'wrong token';
    this.showResult(refusal ? `${labels[command]}: ${refusal}` : confirmations[command] ?? '');
    this.show();
  }
}

function tokenField(control: Control, onEntered: () => void): HTMLElement {
  const input = h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false',
    placeholder: '#token=\u2026' });
  const enter = () => {
    if (!input.value.trim()) return;
    control.setToken(input.value);
    input.value = '';
    onEntered();
  };
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') enter();
  });
  return h('div', { class: 'group token', hidden: true },
    h('label', { class: 'choice' }, 'Token', input), button('Use token', enter));
}
