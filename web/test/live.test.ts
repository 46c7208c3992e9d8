// The dashboard: pages of runs that go on, of runs that have ended, and of several, in a browser.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { checkWidth, colours, image, on, pixels, startBrowser, stopBrowser } from './browser';
import { Runs } from './runs';

const runs = new Runs();
// It ends when it is stopped.
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

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const last = Date.now() + 180000; // Machines may have other things to do.
  while (!(await holds())) {
    assert.ok(Date.now() < last, `waited in vain: ${what}`);
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

async function grows(what: string, of: () => Promise<number>): Promise<void> {
  const first = await of();
  await until(`${what} grows beyond ${first}`, async () => (await of()) > first);
}

/** They are drawn while they are in sight. */
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

async function says(page: Page, text: string): Promise<void> {
  await until(`the state is ${text}`, async () => (await state(page).textContent()) === text);
}

/** A run that may end before anyone looks waits here until the page says to go on. */
async function goesOn(page: Page): Promise<void> {
  const still = await round(page);
  await press(page, 'Go on');
  await until(`the round grows beyond ${still}`, async () => (await round(page)) > still);
}

async function post(address: string, command: string, token: string): Promise<number> {
  const answer = await fetch(new URL(`/api/${command}`, address), { method: 'POST',
    headers: { Authorization: `Bearer ${token}` } });
  return answer.status;
}

test('a run is watched, paused, stopped, and gone on with', async () => {
  const program = runs.start('recon', 's/study.toml', '--out', 'stopped', ...endless, ...served);
  const address = await program.address();
  await on('live-stopped', address, async (page) => {
    assert.equal(new URL(page.url()).hash, '');
    await says(page, 'Computing');
    await grows('the round', () => round(page));
    const canvas = image(page, 'Reconstruction', 'xrf-1');
    await canvas.waitFor();
    await curvesGrow(page);
    assert.match(await page.title(), /^\d+ % \u00b7 live \u2013 FIRM$/);
    const left = page.locator('#run .facts > div', { hasText: 'To go' });
    assert.match((await left.textContent())!, /^To goat most \d+:\d\d:\d\d$/);
    assert.equal(await page.getByText('xrf-1: level').count(), 0); // No rule asks for one.

    // Neither charts nor images are made anew, and what was chosen stays.
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
    await says(page, 'Paused');
    const still = await round(page);
    await page.waitForTimeout(1000);
    assert.equal(await round(page), still);
    await press(page, 'Go on');
    await grows('the round', () => round(page));

    assert.equal(await post(address, 'stop', 'wrong'), 401);
    await grows('the round', () => round(page));

    await page.reload();
    await says(page, 'Computing');
    await press(page, 'Stop');
    await page.keyboard.press('Escape');
    await grows('the round', () => round(page));
    await press(page, 'Stop');
    await press(page, 'Stop the run');
    await says(page, 'Stopped before converging; --resume goes on');
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

test('what is out of sight is drawn when it comes into sight', async () => {
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

test('without the token a run is seen, and left alone', async () => {
  const program = runs.start('recon', 's/study.toml', '--out', 'seen', ...endless, ...served);
  const address = await program.address();
  await on('live-narrow', new URL('/', address).href, async (page) => {
    await says(page, 'Computing');
    await grows('the round', () => round(page));
    for (const name of ['Pause', 'Stop']) {
      assert.ok(await page.locator('#run').getByRole('button', { name }).isDisabled());
    }
    await page.getByText('need the token of the address').waitFor();
    await checkWidth(page, 'live-no-token');
    await page.getByLabel('Token').fill(address);
    await press(page, 'Take it');
    await press(page, 'Stop');
    await press(page, 'Stop the run');
    assert.equal(await program.ended, 5);
    await page.locator('#certificate').waitFor();
  }, { ...narrow, colorScheme: 'dark' });
});

test('a run that is watched to its end leaves the full report', async () => {
  const program = runs.start('recon', 's/study.toml', '--out', 'whole', ...endless, ...served,
    '--set', 'stop.rounds=10000');
  const address = await program.address();
  assert.equal(await post(address, 'pause', new URL(address).hash.replace('#token=', '')), 200);
  await on('live-end', address, async (page) => {
    await says(page, 'Paused');
    assert.equal(await page.locator('#certificate').count(), 0);
    await goesOn(page);
    await page.locator('#certificate').waitFor();
    await page.locator('#sinograms').waitFor();
    assert.equal(await program.ended, 5);
    assert.equal(await page.locator('#sites tbody tr').count(), 4);
    await page.waitForTimeout(1000); // It does not ask for more.
  });
});

test('keys alone reach the run', async () => {
  const program = runs.start('recon', 's/study.toml', '--out', 'keys', ...endless, ...served);
  await on('live-keys', await program.address(), async (page) => {
    await says(page, 'Computing');
    // Where it is, the table of contents is, too: with all of its parts.
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
    for (const part of ['Pause', 'Stop', 'Messages of the terminal']) {
      assert.ok(reached.has(part), `${part} is not reached: ${[...reached].join(', ')}`);
    }
    await page.locator('#run').getByRole('button', { name: 'Stop' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    assert.equal(await program.ended, 5);
  });
});

/** What a browser tells a page whose tab is not the one that is shown. */
async function hide(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { get: () => value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
}

test('many tabs leave a connection for what one of them asks for', async () => {
  const program = runs.start('recon', 's/study.toml', '--out', 'tabs', ...endless, ...served);
  const address = await program.address();
  await on('live-tabs', address, async (page) => {
    await says(page, 'Computing');
    const tabs = [page];
    while (tabs.length < 8) {
      await hide(tabs.at(-1)!, true);
      const tab = await page.context().newPage();
      await tab.goto(address);
      await says(tab, 'Computing');
      tabs.push(tab);
    }
    await press(tabs.at(-1)!, 'Pause');
    await says(tabs.at(-1)!, 'Paused');
    // The first has not heard of it; it does when it is looked at.
    assert.equal(await state(page).textContent(), 'Computing');
    await hide(tabs.at(-1)!, true);
    await hide(page, false);
    await says(page, 'Paused');
    await press(page, 'Stop');
    await press(page, 'Stop the run');
    assert.equal(await program.ended, 5);
  });
});

test('a page whose server goes away finds the next, and takes its token', async () => {
  const argv = ['recon', 's/study.toml', ...endless];
  const first = runs.start(...argv, '--out', 'before', ...served);
  const address = await first.address();
  await on('live-again', address, async (page) => {
    await says(page, 'Computing');
    first.kill('SIGKILL');
    await says(page, 'The run\u2019s server does not answer; trying again');
    const second = runs.start(...argv, '--out', 'after', '--dashboard', new URL(address).host);
    await says(page, 'Computing');
    await grows('the round', () => round(page));
    await press(page, 'Pause');
    await page.getByText('Pause: wrong token').waitFor();
    await grows('the round', () => round(page));
    await page.getByLabel('Token').fill('nonsense');
    await press(page, 'Take it');
    await press(page, 'Pause');
    await page.getByText('Pause: wrong token').waitFor();
    await page.getByLabel('Token').fill(await second.address());
    await press(page, 'Take it');
    await press(page, 'Pause');
    await says(page, 'Paused');
    await press(page, 'Stop');
    await press(page, 'Stop the run');
    assert.equal(await second.ended, 5);
  }, {}, /Failed to load resource/);
});

test('the time to go is known where a rule has a trend, with the level that it asks for', async () => {
  const program = runs.start('recon', 's/study.toml', '--out', 'trend', '--method', 'fedpgd',
    '--set', 'stop.discrepancy=1e-9', '--set', 'stop.kkt=1e-9', ...served);
  await on('live-trend', await program.address(), async (page) => {
    await page.getByText('xrf-1: level').waitFor();
    assert.match((await page.locator('#run dd').first().textContent())!, / of at most 100\u202f000$/);
    await page.locator('#run .facts').getByText(/^(about|at most) \d+:\d\d/).waitFor();
    await press(page, 'Stop');
    await press(page, 'Stop the run');
    assert.equal(await program.ended, 5);
  });
});

async function ended(...argv: string[]): Promise<void> {
  assert.equal(await runs.start('recon', 's/study.toml', ...argv).ended, 0);
}

test('runs that have ended are shown, and compared', async () => {
  const rule = ['--set', 'stop.discrepancy=0.02'];
  await ended('--out', 'joint', ...rule);
  await ended('--out', 'alone', '--method', 'pgd', ...rule);
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
      await page.getByLabel('Residual of').selectOption('xrf-2');
      const chart = page.getByRole('group', { name: /^Residual/ });
      assert.match((await chart.getAttribute('aria-label'))!, /of xrf-2\. joint: .*alone: /);
      await page.getByLabel('Full report of').selectOption('alone');
      await page.locator('#certificate').waitFor();
      await page.getByText('solved alone: nothing ties').waitFor();
    }, options);
  }
  two.kill();
});

test('a federation: the coordinator shows states of sites, and nothing of theirs', async () => {
  const sites = ['xrf-1', 'xrf-2', 'xrf-3', 'xrt'];
  runs.firm('pki', 'init', '--dir', 'pki', '--name', 'Test');
  for (const site of sites) {
    runs.firm('pki', 'request', '--dir', 'pki', '--name', site);
    runs.firm('pki', 'sign', '--dir', 'pki', `pki/${site}.csr`);
  }
  const rule = ['--set', 'method=firm', ...endless.slice(2)];
  const coordinator = runs.start('coordinator', 's/study.toml', '--listen', '127.0.0.1:0', '--pki',
    'pki', '--out', 'coordinator', ...rule, ...served);
  const port = await coordinator.says(/listening on port (\d+)/);
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
      assert.equal(await own.locator('#run p:visible', { hasText: 'the same command' }).count(), 1);
    });
    await are(1, /lost/);
    await press(page, 'Stop');
    await press(page, 'Stop the run');
    assert.equal(await coordinator.ended, 5);
  });
});
