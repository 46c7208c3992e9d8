// Tests of what alignment has found, in a browser: in a report and while a run goes on.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { colours, on, startBrowser, stopBrowser } from './browser';
import type { Refined } from '../src/document';
import { number, withUncertainty } from '../src/format';
import { Runs } from './runs';

const runs = new Runs();
const refine = ['--refine', 'shifts,axis,gain,scale,shifts-vertical'];
// Ends a run after a few rounds.
const early = ['--set', 'stop.discrepancy=0.3'];
const angles = 24;
const titles = ['Shift of the stage, in beamlets', 'Vertical shift of the stage, in slices',
  'Gain of the beam'];

before(async () => {
  runs.study('s', 'scan', '--preset', 'rod', '--size', '40', '--angles', String(angles),
    '--slices', '4', '--jitter', '2', '--vertical-jitter', '0.5', '--axis-offset', '2',
    '--beam-drift', '0.3', '--counts', '100000', '--xrf-counts', '10000');
  runs.firm('recon', 's/study.toml', '--out', 'run', ...refine, ...early);
  await startBrowser();
});

after(async () => {
  await stopBrowser();
  await runs.remove();
});

function refinedOf(run: string): Refined {
  return runs.summary(run).refined!;
}

function plot(page: Page, title: string): Locator {
  return page.locator('#scan figure', { has: page.getByText(title, { exact: true }) })
    .locator('.plot');
}

/** Names a curve as the label of a chart does. */
function curve(name: string, values: number[]): string {
  return `${name}: from ${number(values[0])} to ${number(values[angles - 1])}, ${angles} points`;
}

/** Number of pixels as opaque as a band. Reads a copy, since a browser warns of a canvas that is
 *  read often. */
function bandPixels(canvas: Locator): Promise<number> {
  return canvas.evaluate((from: HTMLCanvasElement) => {
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [from.width, from.height];
    const context = copy.getContext('2d', { willReadFrequently: true })!;
    context.drawImage(from, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    return data.filter((alpha, k) => k % 4 === 3 && Math.abs(alpha - 64) <= 1).length;
  });
}

async function expectCharts(page: Page, { scans, sites }: Refined): Promise<void> {
  const scan = scans['A']!;
  const gains = Object.entries(sites).flatMap(([name, { gain }]) => (gain ? [curve(name, gain)] : []));
  assert.ok(gains.length > 0, 'the study has a drifting beam');
  const expected = [[curve('A', scan.shifts!)], [curve('A', scan.shifts_vertical!)], gains];
  for (const [k, title] of titles.entries()) {
    const chart = plot(page, title);
    await chart.scrollIntoViewIfNeeded();
    const label = (await chart.getAttribute('aria-label'))!;
    for (const part of expected[k]!) assert.ok(label.includes(part), `${label}: ${part}`);
    assert.ok(await colours(chart.locator('canvas'), 3) > 3);
  }
}

async function expectNumbers(page: Page, { sites, notes, warnings }: Refined): Promise<void> {
  for (const [name, site] of Object.entries(sites)) {
    const row = page.locator('#scan').getByRole('row', { name, exact: false });
    await row.getByText(withUncertainty(site.axis!, site.axis_uncertainty), { exact: true }).waitFor();
    if (site.coupled === false) await row.getByText('not known: not coupled').waitFor();
    else if (site.scale !== undefined) {
      await row.getByText(withUncertainty(site.scale, site.scale_uncertainty), { exact: true })
        .waitFor();
    }
  }
  const text = (await page.locator('#scan').textContent())!;
  for (const each of [...notes, ...warnings]) assert.ok(text.includes(each), each);
}

test('shows what alignment has found', async () => {
  const refined = refinedOf('run');
  assert.ok(refined.notes.length > 0);
  for (const [name, options] of [['scan', {}], ['scan-dark-narrow',
    { colorScheme: 'dark', viewport: { width: 390, height: 800 } }]] as const) {
    await on(name, runs.path('run', 'report.html'), async (page) => {
      await page.getByText(`in ${refined.rounds} rounds of alignment`).waitFor();
      await expectCharts(page, refined);
      await expectNumbers(page, refined);
    }, options);
  }
});

test('shows the uncertainty of a shift as a band and at the cursor', async () => {
  // Makes the band wider than the line.
  runs.editSummary('run', (summary) => {
    summary.refined!.scans['A']!.uncertainties = Array.from({ length: angles }, () => 0.75);
  });
  runs.firm('report', 'run');
  await on('scan-cursor', runs.path('run', 'report.html'), async (page) => {
    const first = refinedOf('run').scans['A']!.shifts![0];
    const chart = plot(page, titles[0]!);
    await chart.focus();
    await page.keyboard.press('ArrowRight');
    await chart.locator('.u-legend').getByText(
      `${number(first, 5)} \u00b1 0.75`, { exact: true }).waitFor();
    const canvas = chart.locator('canvas');
    const shown = await bandPixels(canvas);
    assert.ok(shown > 500, `the band has ${shown} pixels`);
    // Hides the curve and its band.
    await chart.getByRole('button', { name: 'A', exact: true }).click();
    const last = Date.now() + 30000;
    while (await bandPixels(canvas) > shown / 10) {
      assert.ok(Date.now() < last, 'the band is still shown');
    }
  });
});

test('writes the report of an aligned run again, with its sinograms', async () => {
  runs.firm('report', 'run');
  const { sinograms, notes } = runs.document(runs.path('run', 'report.html'));
  assert.deepEqual(notes ?? [], []);
  assert.equal(sinograms!.stacks.length, 8);
  // A run that is not aligned leaves nothing of an earlier one.
  runs.study('plain', 'plain', '--size', '16', '--angles', '8');
  runs.firm('recon', 's/study.toml', '--out', 'twice', ...refine, ...early);
  runs.firm('recon', 'plain/study.toml', '--out', 'twice', '--overwrite', ...early);
  runs.firm('report', 'twice');
  assert.deepEqual(runs.document(runs.path('twice', 'report.html')).notes ?? [], []);
  await on('not-aligned', runs.path('twice', 'report.html'), async (page) => {
    await page.locator('#convergence').waitFor();
    assert.equal(await page.locator('#scan').count(), 0);
  });
});

test('shows what alignment has found while the run goes on', async () => {
  const program = runs.start('recon', 's/study.toml', '--out', 'live', ...refine, '--set',
    'stop.kkt=1e-30', '--set', 'stop.noise=0', '--set', 'stop.rounds=100000000',
    '--dashboard', '127.0.0.1:0');
  await on('scan-live', await program.address(), async (page) => {
    await plot(page, titles[0]!).waitFor({ timeout: 180000 });
    // The same study gives the same numbers.
    await expectCharts(page, refinedOf('run'));
    await expectNumbers(page, refinedOf('run'));
    await page.locator('#run').getByRole('button', { name: 'Stop', exact: true }).click();
    await page.locator('#run').getByRole('button', { name: 'Stop the run', exact: true }).click();
    assert.equal(await program.ended, 5);
  });
});
