// Tests of the dashboard in a browser: pages of running, finished and compared runs.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { checkWidth, colours, image, on, pixels, startBrowser, stopBrowser } from './browser';
import { number } from '../src/format';
import { Runs } from './runs';

const runs = new Runs();
// A run with these options ends only when it is stopped.
const endless = ['--method', 'firm', '--set', 'stop.discrepancy=0', '--set', 'firm.hold=100000000',
  '--set', 'stop.rounds=100000000'];
const served = ['--dashboard', '127.0.0.1:0'];
const narrow = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };

before(async () => {
  runs.study('s', 'live', '--size', '64', '--angles', '24', '--slices', '3', '--noise', '0.01',
    '--preset', 'elements');
  await startBrowser();
});

after(async () => {
  await stopBrowser();
  await runs.remove();
});

async function until(condition: string, holds: () => Promise<boolean>): Promise<void> {
  const last = Date.now() + 180000; // The machine may be busy.
  while (!(await holds())) {
    assert.ok(Date.now() < last, `timed out: ${condition}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

async function round(page: Page): Promise<number> {
  const text = await page.locator('#run dd').first().textContent();
  return Number(text!.split(' of')[0]!.replace(/\D/g, ''));
}

async function points(page: Page): Promise<number> {
  const label = await page.locator('#convergence .plot').first().getAttribute('aria-label');
  return Number(/(\d+) points/.exec(label ?? '')?.[1] ?? 0);
}

async function grows(name: string, value: () => Promise<number>): Promise<void> {
  const first = await value();
  await until(`${name} grows beyond ${first}`, async () => (await value()) > first);
}

/** Scrolls to the curves, which are drawn only while they are visible. */
async function curvesGrow(page: Page): Promise<void> {
  await page.locator('#convergence').scrollIntoViewIfNeeded();
  await grows('the curve', () => points(page));
}

function press(page: Page, name: string): Promise<void> {
  return page.locator('#run').getByRole('button', { name, exact: true }).click();
}

function state(page: Page): Locator {
  return page.locator('#run [role=status] .headline');
}

async function waitForState(page: Page, text: string): Promise<void> {
  await until(`the state is ${text}`, async () => (await state(page).textContent()) === text);
}

async function resume(page: Page): Promise<void> {
  const paused = await round(page);
  await press(page, 'Resume');
  await until(`the round grows beyond ${paused}`, async () => (await round(page)) > paused);
}

async function post(address: string, command: string, token: string): Promise<number> {
  const answer = await fetch(new URL(`/api/${command}`, address), { method: 'POST',
    headers: { Authorization: `Bearer ${token}` } });
  return answer.status;
}

test('watches, pauses, stops and resumes a run', async () => {
  const program = runs.start('recon', 's/study.toml', '--out', 'stopped', ...endless, ...served);
  const address = await program.address();
  await on('live-stopped', address, async (page) => {
    assert.equal(new URL(page.url()).hash, '');
    await waitForState(page, 'Computing');
    await grows('the round', () => round(page));
    const canvas = image(page, 'Reconstruction', 'xrf-1');
    await canvas.waitFor();
    await curvesGrow(page);
    assert.match(await page.title(), /^\d+ % \u00b7 live \u2013 FIRM$/);
    const remaining = page.locator('#run .facts > div', { hasText: 'Remaining' });
    assert.match((await remaining.textContent())!, /^Remainingat most \d+:\d\d:\d\d$/);
    // The discrepancy rule is off.
    assert.equal(await page.getByText('xrf-1: target').count(), 0);

    // Updates keep charts, images and the choices of the reader.
    await page.getByLabel('Values on a log scale').uncheck();
    const legend = page.getByRole('group', { name: /^Residual/ })
      .getByRole('button', { name: 'xrf-2', exact: true });
    await legend.click();
    await page.locator('#images').getByRole('button', { name: 'Zoom in' }).click();
    for (const each of [canvas, page.locator('#convergence canvas').first()]) {
      await each.evaluate((e) => e.setAttribute('data-mark', ''));
    }
    await canvas.scrollIntoViewIfNeeded();
    const before = await pixels(canvas);
    await until('the image changes', async () => (await pixels(canvas)) !== before);
    await curvesGrow(page);
    assert.equal(await page.locator('[data-mark]').count(), 2);
    assert.equal(await legend.getAttribute('aria-pressed'), 'false');
    assert.equal(await page.getByLabel('Values on a log scale').isChecked(), false);
    await checkWidth(page, 'live-running');

    await press(page, 'Pause');
    await waitForState(page, 'Paused');
    const paused = await round(page);
    await page.waitForTimeout(1000);
    assert.equal(await round(page), paused);
    await press(page, 'Resume');
    await grows('the round', () => round(page));

    assert.equal(await post(address, 'stop', 'wrong'), 401);
    await grows('the round', () => round(page));

    await page.reload();
    await waitForState(page, 'Computing');
    await press(page, 'Stop');
    await page.keyboard.press('Escape');
    await grows('the round', () => round(page));
    await press(page, 'Stop');
    await press(page, 'Stop the run');
    await waitForState(page, 'Stopped before converging; use --resume to continue');
    assert.equal(await program.ended, 5);
    await page.locator('#certificate').waitFor();
    await page.getByText('stopped before converging after').waitFor();
    assert.equal(await page.locator('#run button:visible').count(), 0);
  });
  const done = runs.summary('stopped').rounds!;
  const more = runs.start('recon', 's/study.toml', '--out', 'stopped', '--resume',
    '--set', `stop.rounds=${done + 50}`);
  assert.equal(await more.ended, 5);
  assert.equal(runs.summary('stopped').rounds, done + 50);
});

test('draws panels only while they are visible', async () => {
  const program = runs.start('recon', 's/study.toml', '--out', 'sight', ...endless, ...served);
  await on('live-sight', await program.address(), async (page) => {
    await image(page, 'Reconstruction', 'xrf-1').waitFor();
    await page.evaluate(() => window.scrollTo(0, 0));
    await grows('the round', () => round(page));
    const drawn = await points(page);
    await grows('the round', () => round(page));
    assert.equal(await points(page), drawn);
    await curvesGrow(page);
    await press(page, 'Stop');
    await press(page, 'Stop the run');
    assert.equal(await program.ended, 5);
  });
});

test('shows a run without a token, but does not control it', async () => {
  const program = runs.start('recon', 's/study.toml', '--out', 'seen', ...endless, ...served);
  const address = await program.address();
  await on('live-narrow', new URL('/', address).href, async (page) => {
    await waitForState(page, 'Computing');
    await grows('the round', () => round(page));
    for (const name of ['Pause', 'Stop']) {
      assert.ok(await page.locator('#run').getByRole('button', { name }).isDisabled());
    }
    await page.getByText('enter the token from the address').waitFor();
    await checkWidth(page, 'live-no-token');
    await page.getByLabel('Token').fill(address);
    await press(page, 'Use token');
    await press(page, 'Stop');
    await press(page, 'Stop the run');
    assert.equal(await program.ended, 5);
    await page.locator('#certificate').waitFor();
  }, { ...narrow, colorScheme: 'dark' });
});

test('shows the full report at the end of a watched run', async () => {
  const program = runs.start('recon', 's/study.toml', '--out', 'whole', ...endless, ...served,
    '--set', 'stop.rounds=10000');
  const address = await program.address();
  // Paused until the page is open, so that it cannot miss the end.
  assert.equal(await post(address, 'pause', new URL(address).hash.replace('#token=', '')), 200);
  await on('live-end', address, async (page) => {
    await waitForState(page, 'Paused');
    assert.equal(await page.locator('#certificate').count(), 0);
    await resume(page);
    await page.locator('#certificate').waitFor();
    await page.locator('#sinograms').waitFor();
    assert.equal(await program.ended, 5);
    assert.equal(await page.locator('#sites table').first().locator('tbody tr').count(), 4);
    await page.waitForTimeout(1000); // Further requests would fail the test.
  });
});

test('reaches the controls of a run with the keyboard', async () => {
  const program = runs.start('recon', 's/study.toml', '--out', 'keys', ...endless, ...served);
  await on('live-keys', await program.address(), async (page) => {
    await waitForState(page, 'Computing');
    // Wait for the panels, so that the table of contents is complete.
    await page.locator('#convergence').waitFor();
    await image(page, 'Reconstruction', 'xrf-1').waitFor();
    const reached = new Set<string>();
    for (let k = 0; k < 20; ++k) {
      await page.keyboard.press('Tab');
      reached.add(await page.evaluate(() => {
        const e = document.activeElement!;
        const seen = getComputedStyle(e).outlineStyle !== 'none';
        return `${seen ? '' : 'unseen '}${e.getAttribute('aria-label') ?? e.textContent ?? ''}`;
      }));
    }
    for (const part of ['Pause', 'Stop', 'Terminal messages']) {
      assert.ok(reached.has(part), `${part} is not reached: ${[...reached].join(', ')}`);
    }
    await page.locator('#run').getByRole('button', { name: 'Stop' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    assert.equal(await program.ended, 5);
  });
});

/** Makes a page believe that its tab is hidden, or shown. */
async function hide(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { get: () => value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
}

test('keeps a connection free for commands when many tabs are open', async () => {
  const program = runs.start('recon', 's/study.toml', '--out', 'tabs', ...endless, ...served);
  const address = await program.address();
  await on('live-tabs', address, async (page) => {
    await waitForState(page, 'Computing');
    const tabs = [page];
    while (tabs.length < 8) {
      await hide(tabs.at(-1)!, true);
      const tab = await page.context().newPage();
      await tab.goto(address);
      await waitForState(tab, 'Computing');
      tabs.push(tab);
    }
    await press(tabs.at(-1)!, 'Pause');
    await waitForState(tabs.at(-1)!, 'Paused');
    // The first tab does not listen while it is hidden; it reconnects when it is shown.
    assert.equal(await state(page).textContent(), 'Computing');
    await hide(tabs.at(-1)!, true);
    await hide(page, false);
    await waitForState(page, 'Paused');
    await press(page, 'Stop');
    await press(page, 'Stop the run');
    assert.equal(await program.ended, 5);
  });
});

test('reconnects to a new server at the same address and accepts its token', async () => {
  const argv = ['recon', 's/study.toml', ...endless];
  const first = runs.start(...argv, '--out', 'before', ...served);
  const address = await first.address();
  await on('live-again', address, async (page) => {
    await waitForState(page, 'Computing');
    first.kill('SIGKILL');
    await waitForState(page, 'The server of this run does not answer; retrying');
    const second = runs.start(...argv, '--out', 'after', '--dashboard', new URL(address).host);
    await waitForState(page, 'Computing');
    await grows('the round', () => round(page));
    await press(page, 'Pause');
    await page.getByText('Pause: wrong token').waitFor();
    await grows('the round', () => round(page));
    await page.getByLabel('Token').fill('nonsense');
    await press(page, 'Use token');
    await press(page, 'Pause');
    await page.getByText('Pause: wrong token').waitFor();
    await page.getByLabel('Token').fill(await second.address());
    await press(page, 'Use token');
    await press(page, 'Pause');
    await waitForState(page, 'Paused');
    await press(page, 'Stop');
    await press(page, 'Stop the run');
    assert.equal(await second.ended, 5);
  }, {}, /Failed to load resource/);
});

test('estimates the remaining time and shows the target of the discrepancy rule', async () => {
  const program = runs.start('recon', 's/study.toml', '--out', 'trend', '--method', 'fedpgd',
    '--set', 'stop.discrepancy=1e-9', '--set', 'stop.kkt=1e-9', ...served);
  await on('live-trend', await program.address(), async (page) => {
    await page.getByText('xrf-1: target').waitFor();
    assert.match((await page.locator('#run dd').first().textContent())!, / of at most 100\u202f000$/);
    await page.locator('#run .facts').getByText(/^(about|at most) \d+:\d\d/).waitFor();
    await press(page, 'Stop');
    await press(page, 'Stop the run');
    assert.equal(await program.ended, 5);
  });
});

async function reconstruct(...argv: string[]): Promise<void> {
  assert.equal(await runs.start('recon', 's/study.toml', ...argv).ended, 0);
}

test('shows a finished run and compares two', async () => {
  const rule = ['--set', 'stop.discrepancy=0.02'];
  await reconstruct('--out', 'joint', ...rule);
  await reconstruct('--out', 'alone', '--method', 'pgd', ...rule);
  const one = runs.start('view', 'joint');
  await on('view', await one.address(), async (page) => {
    await page.locator('#certificate').waitFor();
    assert.ok(await colours(image(page, 'Reconstruction', 'xrt'), 20) > 20);
    assert.equal(await page.locator('#run').isVisible(), false);
    assert.equal(await page.title(), 'live \u2013 FIRM');
  });
  one.kill();
  const two = runs.start('view', 'joint', 'alone');
  const address = await two.address();
  for (const [name, options] of [['compare', {}], ['compare-narrow', narrow]] as const) {
    await on(name, address, async (page) => {
      assert.equal(await page.locator('#runs tbody tr').count(), 2);
      assert.ok(await page.locator('#runs strong', { hasText: '\u2605' }).count() >= 2);
      await image(page, 'joint', 'xrt').waitFor();
      assert.equal(await page.locator('#compared-images canvas.image').count(), 12);
      await page.getByRole('button', { name: 'alone \u2212 joint' }).click();
      assert.ok(await colours(image(page, 'alone \u2212 joint', 'xrf-1'), 20) > 20);
      await page.getByLabel('Residual and fit of').selectOption('xrf-2');
      const chart = page.getByRole('group', { name: /^Residual/ });
      assert.match((await chart.getAttribute('aria-label'))!, /of xrf-2\. joint: .*alone: /);
      await page.getByLabel('Full report of').selectOption('alone');
      await page.locator('#certificate').waitFor();
      await page.getByText('solved alone, so no constraint couples').waitFor();
    }, options);
  }
  two.kill();
});

test('shows both runs in one line profile, without and with a prior', async () => {
  await reconstruct('--out', 'plain');
  await reconstruct('--out', 'tv', '--prior', 'tv');
  const both = runs.start('view', 'plain', 'tv');
  await on('compare-profile', await both.address(), async (page) => {
    const profile = page.locator('#compared-images .profile');
    await profile.scrollIntoViewIfNeeded();
    await profile.locator('select').selectOption('xrf-2');
    const chart = profile.locator('.plot');
    await until('the profile has both runs and the truth', async () =>
      /plain: from .*; tv: from .*; Truth: from /.test((await chart.getAttribute('aria-label'))!));
    // A part of a row of the middle slice, in both runs.
    const ends = profile.locator('input');
    for (const [k, value] of [20, 10, 20, 40].entries()) {
      await ends.nth(k).fill(String(value));
      await ends.nth(k).press('Tab');
    }
    const values = ['plain', 'tv'].map((run) => {
      const image = runs.tiff(run, 'xrf-2', 1);
      return [10, 40].map((column) => number(image.values[20 * image.columns + column]!));
    });
    assert.notDeepEqual(values[0], values[1]);
    const expected = ['plain', 'tv'].map((run, k) =>
      `${run}: from ${values[k]![0]} to ${values[k]![1]}, 31 points`).join('; ');
    await until(`the profile shows ${expected}`, async () =>
      (await chart.getAttribute('aria-label'))!.includes(expected));
  });
  both.kill();
});

test('shows the search of the strength of the prior while the run goes on', async () => {
  const program = runs.start('recon', 's/study.toml', '--out', 'live-prior', '--prior', 'tv',
    '--set', 'stop.kkt=1e-30', '--set', 'stop.rounds=100000000', ...served);
  await on('live-prior', await program.address(), async (page) => {
    const chart = page.locator('#prior .plot');
    await chart.waitFor({ timeout: 180000 });
    assert.match((await chart.getAttribute('aria-label'))!, /rays left out: .* 11 points/);
    await until('rounds are shown', async () => (await round(page)) > 0);
    await press(page, 'Stop');
    await press(page, 'Stop the run');
    assert.equal(await program.ended, 5);
  });
});

test('shows the states of the sites at the coordinator, and none of their data', async () => {
  const sites = ['xrf-1', 'xrf-2', 'xrf-3', 'xrt'];
  runs.firm('pki', 'init', '--dir', 'pki', '--name', 'Test');
  for (const site of sites) {
    runs.firm('pki', 'request', '--dir', 'pki', '--name', site);
    runs.firm('pki', 'sign', '--dir', 'pki', `pki/${site}.csr`);
  }
  const rule = ['--set', 'method=firm', ...endless.slice(2)];
  const coordinator = runs.start('coordinator', 's/study.toml', '--listen', '127.0.0.1:0', '--pki',
    'pki', '--out', 'coordinator', ...rule, ...served);
  const port = await coordinator.waitForOutput(/listening on port (\d+)/);
  const join = (site: string) => runs.start('site', 's/study.toml', '--name', site, '--server',
    `127.0.0.1:${port}`, '--pki', 'pki', '--out', site, ...rule, ...served);
  join('xrf-1');
  await on('live-coordinator', await coordinator.address(), async (page) => {
    const rows = page.locator('#run tbody tr');
    const are = (count: number, state: RegExp) => until(`${count} sites are ${String(state)}`,
      async () => (await rows.filter({ hasText: state }).count()) === count);
    await are(3, /expected/);
    await checkWidth(page, 'live-coordinator-waiting');
    const site = sites.slice(1).map(join)[0]!;
    await are(4, /computing|sending|waiting/);
    await page.getByText('Seconds per sum').first().waitFor();
    assert.equal(await page.locator('canvas.image').count(), 0);
    assert.equal(await page.getByText(/Residual/).count(), 0);
    await checkWidth(page, 'live-coordinator-running');
    await on('live-site', await site.address(), async (own) => {
      await grows('the round', () => round(own));
      await image(own, 'Reconstruction', 'xrf-2').waitFor();
      assert.equal(await own.locator('#images canvas.image').count(), 1);
      assert.match((await own.locator('#run').textContent())!, /Sums over sites/);
      await press(own, 'Stop');
      await press(own, 'Stop the run');
      assert.equal(await site.ended, 5);
      await until('the page knows', async () => /^Stopped/.test((await state(own).textContent())!));
      assert.equal(await own.locator('#run .site-state').count(), 0);
      assert.equal(await own.locator('#run p:visible', { hasText: 'repeat the command' }).count(), 1);
    });
    await are(1, /lost/);
    await press(page, 'Stop');
    await press(page, 'Stop the run');
    assert.equal(await coordinator.ended, 5);
  });
});
