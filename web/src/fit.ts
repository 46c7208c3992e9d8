// Fit of the data in words: the root mean square of (A w - b) / sigma of a site, which is about 1 if
// the images explain the data up to its noise.
import { h } from './dom';
import { siteSummaries, type RunDocument, type SiteSummary, type Summary } from './document';
import { number } from './format';

export type Verdict = 'good' | 'missed' | 'overfitted';

/** Fits between these are good. docs/report.md names them. */
export const goodFits = { low: 0.5, high: 2 };

/** `contradicted`: the data is fitted alone, but not together with the other sites. */
export function verdictOf(fit: number, contradicted = false): Verdict {
  return contradicted || fit > goodFits.high ? 'missed' : fit < goodFits.low ? 'overfitted' : 'good';
}

/** The number and its verdict, as colour and word. */
export function fitMark(fit: number | null | undefined, contradicted = false,
  ...more: string[]): HTMLElement | string {
  if (typeof fit !== 'number') return '\u2013';
  const verdict = verdictOf(fit, contradicted);
  return h('span', { class: 'fit', 'data-fit': verdict },
    `${[number(fit, 3), ...more].join(' ')} ${verdict}`);
}

interface SiteFit {
  name: string;
  fit: number;
  contradicted: boolean;
}

const siteVerdict = (s: SiteFit): Verdict => verdictOf(s.fit, s.contradicted);

function knownFits(summary: Summary): SiteFit[] {
  return siteSummaries(summary).flatMap(({ name, fit, contradicted = false }) =>
    typeof fit === 'number' ? [{ name, fit, contradicted }] : []);
}

/** The site that is missed most; if none is missed, the one that is overfitted most; otherwise the
 *  one with the largest value. */
export function worstFit(summary: Summary): SiteFit | undefined {
  const fits = knownFits(summary).sort((a, b) => b.fit - a.fit);
  const missed = fits.find((s) => siteVerdict(s) === 'missed');
  const least = fits[fits.length - 1];
  return missed ?? (least && siteVerdict(least) === 'overfitted' ? least : fits[0]);
}

function missedText(missed: SiteFit[]): string {
  return missed.map(({ name, fit }, k) =>
    `${k === 0 ? `The data of ${name} is missed` : `that of ${name}`} by ${number(fit, 2)}` +
    `${k === 0 ? ' standard deviations' : ''}`).join(', ') + '.';
}

function overfittedText({ name, fit }: SiteFit): string {
  return `The data of ${name} is fitted more closely than its noise, to ${number(fit, 2)} standard ` +
    'deviations.';
}

// Sites whose noise the study does not give.
function guessText(sites: SiteSummary[]): string[] {
  const guessed = sites.filter((s) => s.sigma_source === 'guess' && typeof s.fit === 'number');
  return guessed.length === 0 ? [] : ['The study does not give the noise of ' +
    `${guessed.map((s) => s.name).join(', ')}: it was estimated to judge the fit.`];
}

export interface FitStatement {
  /** Undefined if the fit is unknown. */
  verdict: Verdict | undefined;
  text: string;
  /** On noise that is unknown or estimated. */
  note: string;
}

/** States whether the data is fitted; null for a summary that does not know fits. */
export function fitStatement(run: RunDocument): FitStatement | null {
  const { summary } = run;
  const sites = siteSummaries(summary);
  const known = knownFits(summary).sort((a, b) => b.fit - a.fit);
  if (summary.fits === undefined && known.length === 0) return null;
  const missed = known.filter((s) => siteVerdict(s) === 'missed');
  const overfitted = known.filter((s) => siteVerdict(s) === 'overfitted');
  const unknown = sites.filter((s) => typeof s.fit !== 'number').map((s) => s.name);
  const texts: string[] = [];
  if (missed.length > 0) texts.push(missedText(missed));
  else if (summary.fits === false) texts.push('The data is not fitted.');
  texts.push(...overfitted.map(overfittedText));
  if (texts.length === 0 && known.length > 0) {
    const some = run.kind === 'site' || unknown.length > 0;
    texts.push(`The data ${some ? `of ${known.map((s) => s.name).join(', ')} ` : ''}is fitted.`);
  }
  const notes = unknown.length === 0 ? []
    : [`The fit of ${unknown.join(', ')} is unknown, because the noise is unknown.`];
  const verdict = missed.length > 0 || summary.fits === false ? 'missed'
    : overfitted.length > 0 ? 'overfitted' : known.length > 0 ? 'good' : undefined;
  return { verdict, text: texts.join(' '), note: [...notes, ...guessText(sites)].join(' ') };
}
