// Tests of self-absorption, in a browser: in a report and while a run goes on.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { colours, hover, on, pixelOf, startBrowser, stopBrowser } from './browser';
import { number } from '../src/format';
import { Runs } from './runs';

const runs = new Runs();
const elements = ['xrf-1', 'xrf-2', 'xrf-3'];
// Ends a run after a few rounds.
const early = ['--set', 'stop.discrepancy=0.3', '--set', 'absorption.rounds=2'];

before(async () => {
  runs.study('s', 'absorbing', '--self-absorption', '--size', '24', '--angles', '16',
    '--slices', '3', '--noise', '0.01');
  runs.firm('recon', 's/study.toml', '--out', 'run', ...early);
  await startBrowser();
});

after(async () => {
  await stopBrowser();
  await runs.remove();
});

test('shows lines, kept fractions, masses and transmittance', async () => {
  const summary = runs.summary('run');
  for (const [name, options] of [['absorption', {}], ['absorption-dark-narrow',
    { colorScheme: 'dark', viewport: { width: 390, height: 800 } }]] as const) {
    await on(name, runs.path('run', 'report.html'), async (page) => {
      const panel = page.locator('#absorption');
      await panel.getByText(`in ${summary.outer_rounds} outer rounds`).waitFor();
      for (const site of elements) {
        const row = panel.getByRole('row', { name: site, exact: false });
        await row.getByText(`${number(100 * summary.kept_fraction![site]!, 3)} %`).waitFor();
        await row.getByText(number(summary.masses![site]), { exact: true }).waitFor();
      }
      await panel.getByRole('row').getByText('Fe Ka', { exact: true }).waitFor();
      const chart = panel.locator('.plot');
      await chart.scrollIntoViewIfNeeded();
      assert.match((await chart.getAttribute('aria-label'))!, /xrf-3: from 1 to /);
      assert.ok(await colours(chart.locator('canvas'), 3) > 3);
      const image = panel.getByRole('img', { name: 'Transmittance of xrf-1 at 0\u00b0' });
      await image.scrollIntoViewIfNeeded();
      assert.ok(await colours(image, 20) > 20);
    }, options);
  }
});

test('shows the transmittance at a chosen angle', async () => {
  await on('absorption-angle', runs.path('run', 'report.html'), async (page) => {
    const panel = page.locator('#absorption');
    // The beam of angle 0 comes from below, the detector is on the right: there T is largest.
    const at = async (x: number, y: number, angle: string) => {
      const image = panel.getByRole('img', { name: `Transmittance of xrf-1 at ${angle}` });
      await hover(image, x, y);
      return (await pixelOf(image)).value;
    };
    assert.equal(await panel.getByRole('combobox').locator('option').count(), 8);
    const right = await at(0.9, 0.5, '0\u00b0');
    const left = await at(0.1, 0.5, '0\u00b0');
    assert.ok(right > left, `${right} on the side of the detector, ${left} on the other`);
    await panel.getByRole('combobox').selectOption({ label: '180\u00b0' });
    assert.ok(await at(0.9, 0.5, '180\u00b0') < await at(0.1, 0.5, '180\u00b0'));
  });
});

test('leaves only noise in the residual of absorbed data', () => {
  const { sinograms, study } = runs.document(runs.path('run', 'report.html'));
  const data = sinograms!.stacks.find((s) => s.site === 'xrf-1' && s.view === 'data')!;
  const residual = sinograms!.stacks.find((s) => s.site === 'xrf-1' && s.view === 'residual')!;
  assert.equal(study!.sites[0]!.line, 'Ca Ka');
  // Without T, the residual would be as large as the data.
  assert.ok(Math.max(-residual.low, residual.high) < 0.3 * data.high);
});

test('has no panel without self-absorption', async () => {
  runs.firm('recon', 's/study.toml', '--out', 'ignored', '--set', 'absorption.rounds=0',
    '--set', 'stop.discrepancy=0.3');
  await on('no-absorption', runs.path('ignored', 'report.html'), async (page) => {
    await page.locator('#convergence').waitFor();
    assert.equal(await page.locator('#absorption').count(), 0);
  });
});

test('shows masses while the run goes on', async () => {
  const program = runs.start('recon', 's/study.toml', '--out', 'live', '--set', 'stop.kkt=1e-30',
    '--set', 'absorption.rounds=2', '--set', 'stop.noise=0', '--set', 'stop.rounds=100000000', '--dashboard',
    '127.0.0.1:0');
  await on('absorption-live', await program.address(), async (page) => {
    const chart = page.locator('#absorption .plot');
    await chart.waitFor({ timeout: 180000 });
    assert.match((await chart.getAttribute('aria-label'))!, /xrf-1: from 1/);
    await page.getByText(/^self-absorption, round 2: masses xrf-1 .* g/).waitFor();
    for (const name of ['Stop', 'Stop the run']) {
      await page.getByRole('button', { name, exact: true }).click();
    }
    assert.equal(await program.ended, 5);
  });
});
