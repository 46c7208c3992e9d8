// Tests of the report's parts that need no browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certificateText } from '../src/report/certificate';
import { colourAt, paint, type ColourMap } from '../src/images/colormap';
import type { Refined, RunDocument, SiteSummary, StackSet, Study, Summary, TransmittanceStack } from
  '../src/document';
import { fitStatement, verdictOf, worstFit } from '../src/fit';
import { bytes, integer, length, number, roundLength, seconds, unit, withUncertainty } from
  '../src/format';
import { bandParts, bandRange } from '../src/charts/band';
import { errorAt, priorText, searches } from '../src/charts/prior_panel';
import { residualTargetSeries } from '../src/charts/residual_targets';
import { imageNotes } from '../src/images/image_notes';
import { sample } from '../src/images/line_profile';
import { absorptionRows, absorptionText, massSeries } from '../src/charts/absorption_panel';
import { scanCharts, scanTable, siteTable } from '../src/charts/scan_panel';
import { relativeSigma } from '../src/report/sites';
import { Stack } from '../src/images/stack';
import { angleTexts } from '../src/images/transmittance_view';
import { warningsOf } from '../src/report/warnings';

test('formats numbers, bytes, times and lengths', () => {
  assert.equal(number(0), '0');
  assert.equal(number(9.93602521646153e-5), '9.936e\u22125');
  assert.equal(number(-2e-7), '\u22122e\u22127');
  assert.equal(number(22.836095), '22.84');
  assert.equal(number(123456), '1.235e5');
  assert.equal(number(null), '\u2013');
  assert.equal(number(0.0012345, 3), '0.00123');
  assert.equal(integer(1234567), '1\u202f234\u202f567');
  assert.equal(bytes(498216), '486.5 KiB');
  assert.equal(bytes(12), '12 B');
  assert.equal(seconds(0.373386932), '0.373 s');
  assert.equal(seconds(3725), '1:02 h');
  assert.equal(seconds(61), '1:01 min');
  assert.equal(length(1e-4), '1 \u00b5m');
  assert.equal(length(0.5), '5 mm');
  assert.equal(unit('g/cm^3'), 'g/cm\u00b3');
  assert.equal(roundLength(0.0074), 0.005);
});

test('maps values to the colours of the PNG pictures of a run', () => {
  assert.deepEqual(colourAt('viridis', 0), [0x44, 0x01, 0x54]);
  assert.deepEqual(colourAt('viridis', 1), [0xfd, 0xe7, 0x25]);
  assert.deepEqual(colourAt('viridis', 0.5), [0x21, 0x90, 0x8c]);
  assert.deepEqual(colourAt('grey', 0.5), [128, 128, 128]);
  assert.deepEqual(colourAt('diverging', 0.5), [255, 255, 255]);
  assert.deepEqual(colourAt('grey', 7), [255, 255, 255]);
});

function painted(values: number[], low: number, high: number, map: ColourMap): number[][] {
  const data = new Uint8ClampedArray(4 * values.length);
  paint({ data } as unknown as ImageData, values, low, high, map);
  return values.map((_, k) => [...data.slice(4 * k, 4 * k + 3)]);
}

test('paints a difference of 0 white, even if all differences are 0', () => {
  const white = [255, 255, 255];
  assert.deepEqual(painted([0, -0, NaN], 0, 0, 'diverging'), [white, white, [255, 0, 255]]);
  const [below, zero, above] = painted([-2, 0, 2], -2, 2, 'diverging');
  assert.deepEqual([below, zero, above], [colourAt('diverging', 0), white,
    colourAt('diverging', 1)]);
  assert.deepEqual(painted([3], 3, 3, 'viridis'), [colourAt('viridis', 0)]);
});

test('says when images.h5 exists', () => {
  const set = { stacks: [{ bits: 16 }], slices: [0, 4], all_slices: 5, reduction: 2 } as unknown as StackSet;
  const [rounded, slices, pixels] = imageNotes(set, true);
  assert.match(rounded!, /; images\.h5 has full precision\.$/);
  assert.equal(slices, '2 of 5 slices are shown.');
  assert.match(pixels!, /mean of 2 \u00d7 2 pixels/);
  assert.match(imageNotes(set, false)[0]!, /; images\.h5, which is written when the run ends, has/);
});

test('samples the pixels under a line', () => {
  const line = { from: { x: 0.5 / 4, y: 0.5 / 3 }, to: { x: 3.5 / 4, y: 0.5 / 3 } };
  assert.deepEqual(sample(line, 3, 4), [0, 1, 2, 3].map((k) => ({ index: k, at: k })));
  const down = { from: { x: 0.99, y: 0 }, to: { x: 0.99, y: 1 } };
  assert.deepEqual(sample(down, 3, 4).map((p) => p.index), [3, 7, 11, 11]);
});

function packed(bits: 16 | 32, values: string, more = {}) {
  return new Stack({ site: 'a', view: 'reconstruction', rows: 1, columns: 2, low: 0, high: 1, bits,
    values, ...more });
}

test('decodes stacks of 32 and 16 bits slice by slice', () => {
  const floats = Buffer.from(new Float32Array([1.5, -2, 0, 4]).buffer).toString('base64');
  assert.deepEqual([...packed(32, floats).slice(1)], [0, 4]);
  const words = Buffer.from(new Uint16Array([0, 65534, 65535, 1]).buffer).toString('base64');
  const stack = packed(16, words, { base: -1, step: 0.5 });
  assert.deepEqual([...stack.slice(0)], [-1, 32766]);
  assert.deepEqual([...stack.slice(1)], [NaN, -0.5]);
});

function run(method: string, kkt: object, more: object = {}): RunDocument {
  return {
    format: 'firm-report', version: 1, program: '1', kind: 'recon', image_norm: 100,
    summary: {
      study: 's', version: '1', seconds: 1, method, objective: 0.02,
      kkt: { primal: 0, stationarity: 1e-6, relative: 1.2e-5, min_w: 0, multiplier: 0.5, ...kkt },
      termination: { reason: 'kkt', message: '', converged: true }, ...more,
    },
  };
}

test('states the bound of the certificate', () => {
  const text = certificateText(run('firm-ds', {})).join('\n');
  assert.match(text, /Certified to 1\.2e\u22125: .*joint problem/);
  assert.match(text, /objective of these images w, f = 0\.02, by more than 1e\u22126 \u00b7 \u2016v/);
  // ||r|| ||w|| = 1e-4, which is 0.5 % of f.
  assert.match(text, /\u2016w\u2016 = 100, this is 1e\u22124 \(0\.5 % of f\)/);
  assert.match(text, /exactly: \u2016D w\u2016 = 0/);
});

test('weakens the bound by ||mu|| ||D w|| if the constraint is violated', () => {
  const text = certificateText(run('firm', { primal: 2e-3 })).join('\n');
  assert.match(text, /\u2016v \u2212 w\u2016 \+ 0\.001\./);
  assert.match(text, /this is 0\.0011 \(5\.5 % of f\)/);
  assert.match(text, /up to \u2016D w\u2016 = 0\.002/);
});

test('draws the residual target of each chunk', () => {
  const curve = (key: string, site: string) => ({ key, site, points: 0, round: [], seconds: [],
    value: [] });
  const chunked = { ...run('firm', {}), curves: [curve('objective', ''), curve('residual', 'xrf-1'),
    curve('residual', 'xrt')], levels: [{ site: 'xrt', round: [0, 11, 21], seconds: [0, 5, 8],
    value: [3, 2, 4] }, { site: 'nobody', round: [0], seconds: [0], value: [1] }] };
  const [line, ...others] = residualTargetSeries(chunked, [0, 30, 7], false);
  assert.deepEqual(others, []);
  assert.equal(line!.label, 'xrt: target');
  assert.equal(line!.colour, 1);
  assert.deepEqual(line!.y, [3, 3, 2, 2, 4, 4]);
  assert.deepEqual(line!.x.map((x) => Math.round(1000 * x) / 1000), [0, 11, 11, 21, 21, 30]);
  assert.ok(line!.x.every((x, k) => k === 0 || x > line!.x[k - 1]!));
  const seconds = residualTargetSeries(chunked, [2, 6], true)[0]!;
  assert.deepEqual(seconds.y, [3, 3, 2, 2]);
  assert.deepEqual([seconds.x[0], seconds.x[2], seconds.x[3]], [2, 5, 6]);
  assert.deepEqual(residualTargetSeries(run('firm', {}), [0, 1], false), []);
});

test('says that a bound larger than the objective is useless', () => {
  const text = certificateText(run('firm', { stationarity: 1 })).join('\n');
  assert.match(text, /this is 100, more than f itself: at that distance the bound says nothing/);
});

test('does not claim the coupling for sites that were solved alone', () => {
  const text = certificateText(run('pgd', { primal: 3, multiplier: 0 })).join('\n');
  assert.match(text, /separate problems of the sites/);
  assert.doesNotMatch(text, /with attenuation =/);
  assert.match(text, /solved alone, so no constraint couples/);
});

test('says why images are not optimal or not non-negative', () => {
  const noise = { termination: { reason: 'discrepancy', message: '', converged: true } };
  assert.match(certificateText(run('firm', {}, noise)).join('\n'), /on purpose before the optimum/);
  const limit = { termination: { reason: 'rounds', message: '9 rounds', converged: false } };
  assert.match(certificateText(run('firm', {}, limit)).join('\n'), /A limit ended .*\(9 rounds\)/);
  assert.match(certificateText(run('firm', { min_w: -1 })).join('\n'), /not all images are non-negative/);
  const site = run('firm', {});
  delete site.image_norm;
  assert.doesNotMatch(certificateText(site).join('\n'), /For every v/);
});

function fitted(fits: Record<string, number | null>, more: object = {}): RunDocument {
  const sites = Object.entries(fits).map(([name, fit]): SiteSummary =>
    ({ name, fit, sigma: 1, sigma_source: 'given', bytes_up: 0, bytes_down: 0 }));
  return run('firm', {}, { sites, ...more });
}

test('calls a fit good from 0.5 to 2', () => {
  assert.deepEqual([0, 0.49, 0.5, 1, 2, 2.01].map((fit) => verdictOf(fit)),
    ['overfitted', 'overfitted', 'good', 'good', 'good', 'missed']);
});

test('calls a site missed that the other sites contradict', () => {
  const document = fitted({ 'xrf-1': 1.3, 'xrf-2': 1.6, xrt: 1 }, { fits: false });
  Object.assign(document.summary.sites![0]!, { fit_alone: 0.9, others_share: 0.52, contradicted: true });
  assert.equal(worstFit(document.summary)?.name, 'xrf-1');
  assert.equal(fitStatement(document)!.verdict, 'missed');
  assert.match(fitStatement(document)!.text, /^The data of xrf-1 is missed by 1\.3 standard deviations\.$/);
});

test('says whether the data is fitted', () => {
  const text = (fits: Record<string, number | null>, more: object = {}) => {
    const found = fitStatement(fitted(fits, more))!;
    return [found.verdict, found.text, found.note];
  };
  assert.deepEqual(text({ 'xrf-1': 1.1, xrt: 0.9 }, { fits: true }), ['good', 'The data is fitted.', '']);
  assert.deepEqual(text({ 'xrf-1': 3.44, xrt: 14.2 }, { fits: false }), ['missed',
    'The data of xrt is missed by 14 standard deviations, that of xrf-1 by 3.4.', '']);
  assert.deepEqual(text({ 'xrf-1': 1, xrt: 0.2 }, { fits: true }), ['overfitted',
    'The data of xrt is fitted more closely than its noise, to 0.2 standard deviations.', '']);
  assert.deepEqual(text({ xrt: 1 }, { fits: false }), ['missed', 'The data is not fitted.', '']);
  const [verdict, one, note] = text({ 'xrf-1': 1, xrt: null }, { fits: null });
  assert.deepEqual([verdict, one], ['good', 'The data of xrf-1 is fitted.']);
  assert.equal(note, 'The fit of xrt is unknown, because the noise is unknown.');
  assert.deepEqual(text({ xrt: null }, { fits: null }).slice(0, 2), [undefined, '']);
  const own = fitStatement({ ...fitted({ xrt: 1 }, { fits: true }), kind: 'site' })!;
  assert.equal(own.text, 'The data of xrt is fitted.');
});

test('says which noise was only estimated, and nothing about the fit of older runs', () => {
  const guessed = fitted({ 'xrf-1': 1, xrt: 1 }, { fits: true });
  guessed.summary.sites![1]!.sigma_source = 'guess';
  assert.match(fitStatement(guessed)!.note, /does not give the noise of xrt: it was estimated/);
  assert.equal(fitStatement(run('firm', {})), null);
  const older = [{ name: 'xrt', residual: 1, bytes_up: 0, bytes_down: 0 }];
  assert.equal(fitStatement(run('firm', {}, { sites: older })), null);
});

test('picks the worst fit of a run', () => {
  const worst = (fits: Record<string, number | null>) => worstFit(fitted(fits).summary)?.name;
  assert.equal(worst({ a: 0.1, b: 3, c: 14 }), 'c');
  assert.equal(worst({ a: 0.1, b: 1.5, c: 0.3 }), 'a');
  assert.equal(worst({ a: 0.8, b: 1.5, c: null }), 'b');
  assert.equal(worst({ a: null }), undefined);
});

test('gives sigma as a fraction of the largest value', () => {
  // 100 values, the largest 5, misfits of 0.2, sigma 0.1.
  const site = { name: 'a', residual: 2, full_scale: 50, fit: 2, bytes_up: 0, bytes_down: 0 };
  assert.equal(relativeSigma(site), 0.02);
  assert.equal(relativeSigma({ ...site, fit: null }), null);
});

test('lists each warning once, wherever it comes from', () => {
  const document = fitted({ 'xrf-1': 1, xrt: 1 }, { warnings: ['xrt: no air', 'no sigma', 'no sigma'] });
  document.summary.sites![0]!.preparation = { warnings: ['dead beamlets'] };
  document.summary.sites![1]!.preparation = { warnings: ['no air'] };
  assert.deepEqual(warningsOf(document), ['xrt: no air', 'no sigma', 'xrf-1: dead beamlets']);
  const live = { warnings: ['no sigma', 'data: no air', 'xrf-1: dead beamlets', 'slow disk'] };
  assert.deepEqual(warningsOf({ ...document, live } as RunDocument),
    ['xrt: no air', 'no sigma', 'xrf-1: dead beamlets', 'slow disk']);
  assert.deepEqual(warningsOf(run('firm', {})), []);
});

test('finds the search of the strength of a run, or of each chunk', () => {
  const prior = { kind: 'tv', strength: 0.5, automatic: true, solver: 'proximal gradient',
    curve: [[4, 30], [1, 10], [0.25, 20]] as [number, number | null][] };
  const summary = { study: 's', version: '1', seconds: 1 };
  assert.deepEqual(searches(summary), []);
  assert.deepEqual(searches({ ...summary, prior: { ...prior, automatic: false, curve: [] } }), []);
  assert.deepEqual(searches({ ...summary, prior }).map((s) => s.label), ['rays left out']);
  const kkt = { primal: 0, stationarity: 0, relative: 0, min_w: 0, multiplier: 0 };
  const chunks = [prior, prior].map((p) => ({ rounds: 1, kkt, prior: p }));
  assert.deepEqual(searches({ ...summary, prior: { ...prior, strength: null, curve: [] }, chunks })
    .map((s) => s.label), ['chunk 1', 'chunk 2']);
});

test('reads the error at a strength from the curve', () => {
  const curve: [number, number | null][] = [[4, 30], [1, 10], [0.25, 20]];
  assert.equal(errorAt(curve, 1), 10);
  assert.equal(errorAt(curve, 2), 20);
  assert.equal(errorAt(curve, 0.5), 15);
  assert.equal(errorAt(curve, 5.6), 30);
  assert.equal(errorAt(curve, 0.1), 20);
  assert.equal(errorAt([[4, null], [1, 10]], 2), null);
  assert.equal(errorAt([], 2), null);
});

test('says where the strength of the prior comes from', () => {
  const prior = { kind: 'tv', strength: 0.557, automatic: true, solver: 'primal-dual', curve: [] };
  assert.equal(priorText(prior), 'Total variation, strength 0.557, found from rays that each site ' +
    'left out; local problems solved by primal-dual steps.');
  assert.match(priorText({ ...prior, automatic: false }), /strength 0.557, as given;/);
  assert.match(priorText({ ...prior, strength: null }), /a strength for each chunk of slices/);
});

test('rounds a value like its uncertainty', () => {
  assert.equal(withUncertainty(73.9937, 0.0405), '73.994 \u00b1 0.041');
  assert.equal(withUncertainty(-2.5, 12), '\u22123 \u00b1 12');
  assert.equal(withUncertainty(4.0453e-5, 8.38e-6), '(4.05 \u00b1 0.84)e\u22125');
  assert.equal(withUncertainty(1, 0.004), '1.0000 \u00b1 0.0040');
  assert.equal(withUncertainty(3, 0), '3.000 \u00b1 0.000');
  assert.equal(withUncertainty(0, 0), '0.000 \u00b1 0.000');
  assert.equal(withUncertainty(2.25, null), '2.25 \u00b1 unknown');
});

test('draws a band where the uncertainty is known, and makes room for it', () => {
  const curve = { x: [0, 1, 2, 3], y: [1, 2, null, 4], spread: [0.5, 1, 1, null] };
  assert.deepEqual(bandParts(curve), [[[0, 0.5, 1.5], [1, 1, 3]]]);
  assert.deepEqual(bandParts({ ...curve, spread: [1, null, 1, 2] }), [[[0, 0, 2]], [[3, 2, 6]]]);
  assert.deepEqual(bandParts({ x: [0], y: [1] }), []);
  assert.deepEqual(bandRange(1, 10, [{ x: [0, 1], y: [1, 10], spread: [1, 0] }]), [-1, 11]);
  assert.deepEqual(bandRange(2, 2, []), [1.8, 2.2]);
  assert.deepEqual(bandRange(null, null, []), [0, 1]);
});

const aligned: Refined = {
  scans: {
    A: { shifts: [-1, 2.5], uncertainties: [0.1, null], uncertainty: 0.1,
      shifts_vertical: [0.25, -0.5], vertical_uncertainty: 0.04 },
    B: { angle_scale: 1.01, angle_scale_uncertainty: 0.002 },
  },
  sites: {
    'xrf-1': { scale: 5e-7, scale_uncertainty: 4e-7, coupled: false },
    'xrf-2': { axis: 74.06, axis_uncertainty: 0.15, scale: 4e-5, scale_uncertainty: 8e-6,
      coupled: true },
    xrt: { axis: 74, axis_uncertainty: null, gain: [0.98, 1.02] },
  },
  rounds: 3, notes: [], warnings: [],
};

test('draws shifts of each scan with their uncertainty, and gains of each site', () => {
  const charts = scanCharts(aligned);
  assert.deepEqual(charts.map((c) => c.title), ['Shift of the stage, in beamlets',
    'Vertical shift of the stage, in slices', 'Gain of the beam']);
  assert.deepEqual(charts[0]!.series, [
    { label: 'A', x: [0, 1], y: [-1, 2.5], spread: [0.1, null], colour: 0 }]);
  assert.deepEqual(charts[1]!.series[0]!.spread, [0.04, 0.04]);
  assert.deepEqual(charts[2]!.series.map((s) => [s.label, s.y]),
    [['xrt', [0.98, 1.02]], ['steady', [1, 1]]]);
  assert.deepEqual(scanCharts({ ...aligned, scans: {}, sites: {} }), []);
});

test('lists numbers of scans and sites, and says which scale is not known', () => {
  const none = '\u2013';
  assert.deepEqual(scanTable(aligned), {
    headings: ['Scan', 'Shifts, beamlets', 'Vertical shifts, slices', 'Angle step, factor'],
    rows: [['A', '\u22121.00 to 2.50, \u00b1 0.1', '\u22120.50 to 0.25, \u00b1 0.04', none],
      ['B', none, none, '1.0100 \u00b1 0.0020']],
  });
  assert.deepEqual(siteTable(aligned), {
    headings: ['Site', 'Rotation axis, beamlets', 'Scale, g/cm\u00b2 per count'],
    rows: [['xrf-1', none, 'not known: not coupled'],
      ['xrf-2', '74.06 \u00b1 0.15', '(4.00 \u00b1 0.80)e\u22125'],
      ['xrt', '74 \u00b1 unknown', none]],
  });
  assert.equal(siteTable({ ...aligned, sites: { xrt: { gain: [1, 1] } } }), null);
});

test('lists self-absorption of each site, with masses over that without correction', () => {
  const summary = { absorption: { attenuation: 'elements', start: 'xrt', sites: {
    iron: { incident_energy: 12, line_energy: 6.4, masses: [2e-6, 3e-6, 4e-6] },
    empty: { incident_energy: 12, line_energy: 8.6, masses: [0, 0] } } },
  outer_rounds: 1, kept_fraction: { iron: 0.4512, empty: 1 } } as unknown as Summary;
  const study = { sites: [{ name: 'iron', element: 'Fe', line: 'Fe Ka' }] } as unknown as Study;
  const [iron, empty] = absorptionRows(summary, study);
  assert.deepEqual(iron, ['iron', 'Fe', 'Fe Ka', '12', '6.4', '45.1 %', '4e\u22126', '2e\u22126']);
  assert.deepEqual(empty!.slice(0, 3), ['empty', '\u2013', '\u2013']);
  assert.deepEqual(massSeries(summary).map(({ label, x, y }) => ({ label, x, y })),
    [{ label: 'iron', x: [0, 1, 2], y: [1, 1.5, 2] }]);
  assert.match(absorptionText(summary), /in 1 outer round, .* scaled to XRT/);
  // While the run goes on, kept fractions are unknown.
  delete summary.kept_fraction;
  assert.equal(absorptionRows(summary, study)[0]![5], '\u2013');
});

test('names the angles of transmittance, by number where sites differ', () => {
  const stacks = (...thetas: number[][]) =>
    thetas.map((theta) => ({ theta })) as unknown as TransmittanceStack[];
  assert.deepEqual(angleTexts(stacks([0, 45.5], [0, 45.5])), ['0\u00b0', '45.5\u00b0']);
  assert.deepEqual(angleTexts(stacks([0, 45], [0, 60, 90])), ['0\u00b0', 'number 2', 'number 3']);
});
