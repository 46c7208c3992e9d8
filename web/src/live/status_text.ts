// The status of a run in words.
import { hasEnded, type Live, type RunDocument, type RunState, type SiteState } from '../document';
import { integer } from '../format';

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
  expected: 'has not connected yet',
  waiting: 'waits for the other sites',
  computing: 'computes; the sum waits for this site',
  sending: 'sends; part of its message has arrived',
  lost: 'was connected and is now unreachable',
  done: 'has finished with its results',
};

export function stateText(run: RunDocument): string {
  const live = run.live!;
  if (live.state === 'stopped') {
    const how = run.kind === 'recon' ? 'use --resume' : 'repeat the command';
    return `${states.stopped}; ${how} to continue`;
  }
  if (live.state === 'failed') {
    const cause = live.stage || live.messages[live.messages.length - 1]?.text || '';
    return cause ? `${states.failed}: ${cause}` : states.failed;
  }
  if (live.state === 'waiting' && run.kind === 'coordinator') return 'Waiting';
  return states[live.state] ?? live.state;
}

/** Formats seconds as "1:05" or "2:03:04". */
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

/** Remaining time; empty if unknown. */
export function remainingText(live: Live): string {
  if (hasEnded(live) || live.remaining === null) return '';
  return `${live.at_most ? 'at most' : 'about'} ${clock(live.remaining)}`;
}

/** Title of the window. Shows how a run ended only if this page has `watched` it run. */
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
