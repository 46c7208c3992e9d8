// What the certificate of a run says, in words; docs/method.md has the definition.
//
// With r the stationarity residual and mu the multiplier, for every admissible v (v >= 0, D v = 0)
//     f(v) >= f(w) - ||r|| ||v - w|| - ||mu|| ||D w||
// since f is convex: grad f(w) = r - n - D^T mu with n in the normal cone of w >= 0 at w, so that
// <n, v - w> <= 0 and <D^T mu, v - w> = -<mu, D w>.
import { h, section } from './dom';
import type { RunDocument } from './document';
import { number } from './format';

const alone = ['pgd', 'plsqr'];

export function certificateText(run: RunDocument): string[] {
  const { summary } = run;
  const kkt = summary.kkt;
  if (!kkt || summary.objective === undefined) return [];
  const joint = !alone.includes(summary.method ?? '');
  return [
    headline(kkt.relative, joint),
    bound(run, joint),
    physics(run, joint),
    ...(kkt.min_w < 0
      ? [`The smallest value is ${number(kkt.min_w)}: these images are not all non-negative.`] : []),
    ...reason(run),
  ];
}

function headline(relative: number, joint: boolean): string {
  const what = joint ? 'the joint problem' : 'the problem of each site by itself';
  return `Certified to ${number(relative, 2)}: the projected gradient of ${what} at these images ` +
    `is ${number(relative, 2)} of \u2016A\u1d40b\u2016.`;
}

function bound(run: RunDocument, joint: boolean): string {
  const kkt = run.summary.kkt!;
  const f = run.summary.objective!;
  const images = joint
    ? 'non-negative images v with attenuation = \u03a3 c \u00b7 density' : 'non-negative images v';
  const gap = joint ? kkt.multiplier * kkt.primal : 0;
  const also = gap > 0 ? ` + ${number(gap, 2)}` : '';
  let text = `The problem is convex, so no ${images} can have an objective below that of these ` +
    `images, f = ${number(f)}, by more than ${number(kkt.stationarity, 2)} \u00b7 ` +
    `\u2016v \u2212 w\u2016${also}.`;
  if (run.image_norm !== undefined && run.image_norm > 0) {
    const most = kkt.stationarity * run.image_norm + gap;
    text += ` For every v that differs from w by at most \u2016w\u2016 = ` +
      `${number(run.image_norm)}, that is ${number(most, 2)}${share(most, f)}.`;
  }
  return text;
}

// An objective is never negative, so a bound beyond f is none.
function share(most: number, f: number): string {
  if (!(f > 0)) return '';
  return most < f ? ` (${number((100 * most) / f, 2)} % of f)`
    : ', more than f itself: so far away, the bound says nothing';
}

function physics(run: RunDocument, joint: boolean): string {
  const kkt = run.summary.kkt!;
  if (joint && kkt.primal === 0) {
    return 'The attenuation image is the sum of the others times their coefficients, exactly: ' +
      '\u2016D w\u2016 = 0.';
  }
  if (joint) {
    return `The attenuation image is the sum of the others times their coefficients up to ` +
      `\u2016D w\u2016 = ${number(kkt.primal)}.`;
  }
  return 'Each site was solved alone: nothing ties the attenuation image to the others. It differs ' +
    `from the sum of the others times their coefficients by \u2016D w\u2016 = ${number(kkt.primal)}.`;
}

function reason(run: RunDocument): string[] {
  const end = run.summary.termination;
  if (end?.reason === 'discrepancy') {
    return ['The run was ended on purpose before the optimum: its images fit the data as well as ' +
      'the noise allows, and a lower objective would fit the noise.'];
  }
  if (end && !end.converged) {
    return [`The run was ended by a limit before it converged (${end.message}).`];
  }
  return [];
}

export function certificateSection(run: RunDocument): HTMLElement | null {
  const [first, ...rest] = certificateText(run);
  if (!first) return null;
  const kkt = run.summary.kkt!;
  const facts: [string, string][] = [
    ['Stationarity \u2016r\u2016', number(kkt.stationarity)],
    ['relative to \u2016A\u1d40b\u2016', number(kkt.relative)],
    ['Primal \u2016D w\u2016', number(kkt.primal)],
    ['Smallest value', number(kkt.min_w)],
    ['Multiplier \u2016\u03bc\u2016', number(kkt.multiplier)],
  ];
  return section('certificate', 'Certificate',
    h('p', { class: 'headline' }, first), ...rest.map((text) => h('p', {}, text)),
    h('dl', { class: 'facts' },
      ...facts.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))));
}
