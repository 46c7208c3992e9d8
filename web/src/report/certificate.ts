// Certificate: states in words how close the images are to the optimum. docs/method.md defines it.
//
// With r the stationarity residual and mu the multiplier, for every admissible v (v >= 0, D v = 0)
//     f(v) >= f(w) - ||r|| ||v - w|| - ||mu|| ||D w||
// since f is convex: grad f(w) = r - n - D^T mu with n in the normal cone of w >= 0 at w, so that
// <n, v - w> <= 0 and <D^T mu, v - w> = -<mu, D w>.
import { h, section } from '../dom';
import type { RunDocument } from '../document';
import { number } from '../format';

/** Methods that reconstruct each site alone. */
const separateMethods = ['pgd', 'plsqr'];

export function certificateText(run: RunDocument): string[] {
  const { summary } = run;
  const kkt = summary.kkt;
  if (!kkt || summary.objective === undefined) return [];
  const joint = !separateMethods.includes(summary.method ?? '');
  return [
    headline(kkt.relative, joint),
    objectiveBound(run, joint),
    couplingText(run, joint),
    ...(kkt.min_w < 0
      ? [`The smallest value is ${number(kkt.min_w)}: not all images are non-negative.`] : []),
    ...earlyStopText(run),
  ];
}

function headline(relative: number, joint: boolean): string {
  const problem = joint ? 'the joint problem' : 'the separate problems of the sites';
  return `Certified to ${number(relative, 2)}: at these images the projected gradient of ` +
    `${problem} is ${number(relative, 2)} times \u2016A\u1d40b\u2016.`;
}

function objectiveBound(run: RunDocument, joint: boolean): string {
  const kkt = run.summary.kkt!;
  const f = run.summary.objective!;
  const images = joint
    ? 'non-negative images v with attenuation = \u03a3 c \u00b7 density' : 'non-negative images v';
  const gap = joint ? kkt.multiplier * kkt.primal : 0;
  const gapTerm = gap > 0 ? ` + ${number(gap, 2)}` : '';
  let text = `The problem is convex, so no ${images} can lower the objective of these images w, ` +
    `f = ${number(f)}, by more than ${number(kkt.stationarity, 2)} \u00b7 ` +
    `\u2016v \u2212 w\u2016${gapTerm}.`;
  if (run.image_norm !== undefined && run.image_norm > 0) {
    const bound = kkt.stationarity * run.image_norm + gap;
    text += ` For every v that differs from w by at most \u2016w\u2016 = ` +
      `${number(run.image_norm)}, this is ${number(bound, 2)}${shareOf(bound, f)}.`;
  }
  return text;
}

// The objective is never negative, so a bound larger than f says nothing.
function shareOf(bound: number, f: number): string {
  if (!(f > 0)) return '';
  return bound < f ? ` (${number((100 * bound) / f, 2)} % of f)`
    : ', more than f itself: at that distance the bound says nothing';
}

function couplingText(run: RunDocument, joint: boolean): string {
  const kkt = run.summary.kkt!;
  if (joint && kkt.primal === 0) {
    return 'The attenuation image equals the sum of the other images times their coefficients ' +
      'exactly: \u2016D w\u2016 = 0.';
  }
  if (joint) {
    return `The attenuation image equals the sum of the other images times their coefficients ` +
      `up to \u2016D w\u2016 = ${number(kkt.primal)}.`;
  }
  return 'Each site was solved alone, so no constraint couples the attenuation image to the other ' +
    'images. It differs from their sum times the coefficients by ' +
    `\u2016D w\u2016 = ${number(kkt.primal)}.`;
}

function earlyStopText(run: RunDocument): string[] {
  const end = run.summary.termination;
  if (end?.reason === 'discrepancy') {
    return ['The run stopped on purpose before the optimum: its images fit the data as well as ' +
      'the noise allows, and a lower objective would fit the noise.'];
  }
  if (end && !end.converged) {
    return [`A limit ended the run before it converged (${end.message}).`];
  }
  return [];
}

export function certificateSection(run: RunDocument): HTMLElement | null {
  const [first, ...rest] = certificateText(run);
  if (!first) return null;
  const kkt = run.summary.kkt!;
  const facts: [string, string][] = [
    ['Stationarity \u2016r\u2016', number(kkt.stationarity)],
    ['Relative to \u2016A\u1d40b\u2016', number(kkt.relative)],
    ['Primal \u2016D w\u2016', number(kkt.primal)],
    ['Smallest value', number(kkt.min_w)],
    ['Multiplier \u2016\u03bc\u2016', number(kkt.multiplier)],
  ];
  return section('certificate', 'Optimality certificate',
    h('p', { class: 'headline' }, first), ...rest.map((text) => h('p', {}, text)),
    h('dl', { class: 'facts' },
      ...facts.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))));
}
