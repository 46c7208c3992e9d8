// MessageList: the messages that the run prints in its terminal, newest at the bottom.
import { h } from '../dom';
import type { Live } from '../document';
import { clock } from './status_text';

type Message = Live['messages'][number];

/** The list scrolls with new messages when it is within this many pixels of its end. */
const nearEnd = 8;

export class MessageList {
  // Screen readers announce the state of the run, but not every message.
  private readonly list = h('ol', { role: 'log', 'aria-live': 'off', tabindex: 0, class: 'log',
    'aria-label': 'Terminal messages' });
  readonly element = h('div', { hidden: true },
    h('p', { class: 'caption', 'aria-hidden': 'true' }, 'Messages'), this.list);
  private shown: Message[] = [];

  /** Shows these messages; elements of messages already shown stay. */
  show(messages: Message[]): void {
    this.element.hidden = messages.length === 0;
    const same = (a: Message, b: Message) => a.seconds === b.seconds && a.text === b.text;
    let gone = 0;
    while (gone < this.shown.length &&
      !this.shown.slice(gone).every((m, k) => messages[k] && same(m, messages[k]!))) ++gone;
    const kept = this.shown.length - gone;
    if (gone === 0 && kept === messages.length) return;
    const { list } = this;
    const atEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - nearEnd;
    for (let k = 0; k < gone; ++k) list.firstChild?.remove();
    for (const { seconds, text } of messages.slice(kept)) {
      list.append(h('li', {}, h('span', { class: 'when' }, clock(seconds)), h('span', {}, text)));
    }
    this.shown = messages;
    if (atEnd) list.scrollTop = list.scrollHeight;
  }
}
