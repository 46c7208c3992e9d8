// The state of a run, in words.
import { hasEnded, type Live, type RunDocument, type RunState, type SiteState } from './document';
import { integer } from './format';

const states: Record<RunState, string> = {
  starting: 'Starting',
  reading: 'Reading data',
  waiting: 'Waiting for other sites',
  computing: 'Computing',
  sending: 'Sending and receiving',
  pausing: 'Pausing after this round',
  paused: 'Paused',
  writing: 'Writing results',
  finished: 'Finished',
  stopped: 'Stopped before converging',
  failed: 'Failed',
};

export const siteStates: Record<SiteState, string> = {
  expected: 'has not come yet',
  waiting: 'waits for the others',
  computing: 'the sum waits for it',
  sending: 'a part of it has arrived',
  lost: 'was there, and is not any more',
  done: 'has its results',
};

export function stateText(run: RunDocument): string {
  const live = run.live!;
  if (live.state === 'stopped') {
    const again = run.kind === 'recon' ? '--resume' : 'the same command';
    return `${states.stopped}; ${again} goes on`;
  }
  if (live.state === 'failed') {
    const why = live.stage || live.messages[live.messages.length - 1]?.text || '';
    return why ? `${states.failed}: ${why}` : states.failed;
  }
  if (live.state === 'waiting' && run.kind === 'coordinator') return 'Waiting';
  return states[live.state] ?? live.state;
}

/** "1:05", "2:03:04". */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (n: number) => String(n).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = two(whole % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

export function roundText(live: Live): string {
  return live.limit > 0 ? `${integer(live.round)} of at most ${integer(live.limit)}`
    : integer(live.round);
}

/** What is left; empty where that is not known. */
export function leftText(live: Live): string {
  if (hasEnded(live) || live.remaining === null) return '';
  return `${live.at_most ? 'at most' : 'about'} ${clock(live.remaining)}`;
}

/** For the title of the window; `watched`: it has been seen to go on. */
export function titleText(run: RunDocument, watched: boolean): string {
  const name = run.summary.study ? `${run.summary.study} \u2013 FIRM` : 'FIRM';
  const live = run.live;
  if (!live || (hasEnded(live) && !watched)) return name;
  if (hasEnded(live) || live.state === 'paused') return `${live.state} \u00b7 ${name}`;
  if (live.progress !== null) return `${Math.floor(100 * live.progress)} % \u00b7 ${name}`;
  if (live.round > 0) {
    return `${run.kind === 'coordinator' ? 'sum' : 'round'} ${live.round} \u00b7 ${name}`;
  }
  return `${live.state} \u00b7 ${name}`;
}
