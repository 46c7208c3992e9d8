// Tests of report.html in a browser, opened from the disk.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { siteSummaries } from '../src/document';
import { number } from '../src/format';
import { Stack } from '../src/images/stack';
import { colours, hover, image, on, pixelOf, pixels, readout, settle, startBrowser, stopBrowser } from
  './browser';
import { Runs } from './runs';

const hostileName = 'Bone </script><script>window.hacked = 1</script><img src=x onerror=hacked=2> & "so"';
const size = 32;
const middle = 1; // the slice shown first, of three
const rule = ['--set', 'stop.discrepancy=0.02'];
const runs = new Runs();
const report = runs.path('run', 'report.html');

before(async () => {
  runs.study('s', hostileName, '--size', String(size), '--angles', '24', '--slices', '3', '--noise', '0.01',
    '--preset', 'elements');
  runs.firm('recon', 's/study.toml', '--out', 'run', ...rule);
  runs.firm('recon', 's/study.toml', '--out', 'alone', '--method', 'pgd', ...rule);
  runs.firm('report', 'run', '--alone', 'alone');
  await startBrowser();
});

after(async () => {
  await stopBrowser();
  await runs.remove();
});

test('shows images, sinograms, curves and the certificate of all sites', () =>
  on('whole', report, async (page) => {
    for (const site of ['xrf-1', 'xrf-2', 'xrf-3', 'xrt']) {
      for (const view of ['Reconstruction', 'Truth', 'Sinogram b', 'Residual A w \u2212 b']) {
        assert.ok(await colours(image(page, view, site), 20) > 20, `${view} of ${site}`);
      }
    }
    const charts = page.locator('#convergence .plot');
    assert.ok(await charts.count() >= 4);
    for (const chart of await charts.all()) {
      assert.ok(await colours(chart.locator('canvas'), 3) > 3);
    }
    await page.getByText(/^Certified to /).waitFor();
    await page.getByText(/no non-negative images v .* can lower the objective/).waitFor();
    assert.equal(await page.locator('#sites table').first().locator('tbody tr').count(), 4);
    assert.ok(await page.getByText('xrf-2: target').count() > 0);
  }));

test('holds residual sinograms with the norms of the summary', () => {
  const { sinograms, summary } = runs.document(report);
  for (const site of siteSummaries(summary)) {
    const stack = new Stack(sinograms!.stacks.find((s) =>
      s.site === site.name && s.view === 'residual')!);
    const norm = Math.hypot(...[0, 1, 2].map((k) => Math.hypot(...stack.slice(k))));
    assert.ok(Math.abs(norm / site.residual! - 1) < 1e-4, `${norm} and ${site.residual}`);
  }
});

test('labels the KKT residual of the last round and that of the certificate', async () => {
  runs.firm('recon', 's/study.toml', '--out', 'kkt', '--set', 'stop.discrepancy=0', '--set', 'stop.kkt=1e-3');
  const { kkt, termination } = runs.summary('kkt');
  assert.equal(termination!.reason, 'kkt');
  await on('kkt', runs.path('kkt', 'report.html'), async (page) => {
    await page.getByText(`; in the last round, ${termination!.message}.`).waitFor();
    const tile = page.locator('.overview .facts > div', { hasText: 'Relative KKT (certificate)' });
    assert.equal(await tile.locator('dd').textContent(), number(kkt!.relative, 3));
  });
});

test('never parses texts of a study as HTML', () =>
  on('hostile', report, async (page) => {
    assert.equal(await page.locator('h1').textContent(), hostileName);
    assert.equal(await page.evaluate('window.hacked'), undefined);
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.locator('script').count(), 2);
  }));

test('shows the TIFF value under the cursor at every site', () =>
  on('cursor', report, async (page) => {
    for (const [x, y] of [[0.5, 0.5], [0.3, 0.62], [0.01, 0.99]] as const) {
      await hover(image(page, 'Reconstruction', 'xrf-2'), x, y);
      for (const site of ['xrf-2', 'xrt']) {
        const tiff = runs.tiff('run', site, middle);
        const canvas = image(page, 'Reconstruction', site);
        const { row, column, value } = await pixelOf(canvas);
        assert.deepEqual([row, column], [Math.floor(y * size), Math.floor(x * size)]);
        assert.equal(value, tiff.values[row * tiff.columns + column]);
        const text = (await readout(canvas).textContent())!;
        assert.ok(text.startsWith(`${number(value, 6)} ${site === 'xrt' ? '1/cm' : 'g/cm\u00b3'}`));
      }
    }
  }));

test('selects a slice with the keys of the slider', () =>
  on('slice', report, async (page) => {
    const slider = page.locator('#images').getByRole('slider');
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await slider.getAttribute('aria-valuetext'), 'slice 2');
    const canvas = image(page, 'Reconstruction', 'xrf-1');
    await hover(canvas, 0.5, 0.5);
    const { row, column, value } = await pixelOf(canvas);
    const at = row * size + column;
    assert.equal(value, runs.tiff('run', 'xrf-1', 2).values[at]);
    assert.notEqual(value, runs.tiff('run', 'xrf-1', middle).values[at]);
  }));

test('zooms about the middle and moves when dragged', () =>
  on('zoom', report, async (page) => {
    const canvas = image(page, 'Reconstruction', 'xrf-3');
    const zoom = page.locator('#images').getByRole('button', { name: 'Zoom in' });
    for (let k = 0; k < 4; ++k) await zoom.click();
    // 1.5^4 about the middle: a quarter of the way from the left is 0.5 - 0.25 / 1.5^4.
    await hover(canvas, 0.25, 0.5);
    assert.equal((await pixelOf(canvas)).column, Math.floor((0.5 - 0.25 / 1.5 ** 4) * size));
    const box = (await canvas.boundingBox())!;
    await page.mouse.down();
    await page.mouse.move(box.x + 0.75 * box.width, box.y + 0.5 * box.height, { steps: 4 });
    await page.mouse.up();
    await settle(page);
    assert.equal((await pixelOf(canvas)).column, Math.floor((0.5 - 0.25 / 1.5 ** 4) * size));
    await page.locator('#images').getByRole('button', { name: 'Show the whole image' }).click();
    await hover(canvas, 0.25, 0.5);
    assert.equal((await pixelOf(canvas)).column, Math.floor(0.25 * size));
  }));

test('shows the values along a profile line', () =>
  on('profile', report, async (page) => {
    const ends = page.locator('.profile input');
    for (const [k, value] of [5, 3, 20, 3].entries()) {
      await ends.nth(k).fill(String(value));
      await ends.nth(k).press('Tab');
    }
    await page.locator('.profile select').selectOption('xrt');
    await settle(page);
    const { values } = runs.tiff('run', 'xrt', middle);
    const label = await page.locator('.profile .plot').getAttribute('aria-label');
    const [first, last] = [values[5 * size + 3]!, values[20 * size + 3]!];
    assert.ok(label!.includes(
      `Reconstruction: from ${number(first)} to ${number(last)}, 16 points`), label!);
    assert.match(label!, /Truth: .*Each site alone: /);

    await page.getByRole('button', { name: 'Draw a line' }).click();
    const canvas = image(page, 'Truth', 'xrf-1');
    await hover(canvas, 0.1, 0.2);
    const box = (await canvas.boundingBox())!;
    await page.mouse.down();
    await page.mouse.move(box.x + 0.9 * box.width, box.y + 0.8 * box.height, { steps: 4 });
    await page.mouse.up();
    await settle(page);
    const drawn = await ends.evaluateAll((all) => all.map((e) => Number((e as HTMLInputElement).value)));
    assert.deepEqual(drawn, [0.2, 0.1, 0.8, 0.9].map((part) => Math.floor(part * size)));
  }));

test('shows differences and a common colour scale on request', () =>
  on('differences', report, async (page) => {
    for (const name of ['Reconstruction \u2212 truth', 'Reconstruction \u2212 alone']) {
      await page.getByRole('button', { name }).click();
    }
    const canvas = image(page, 'Reconstruction \u2212 truth', 'xrf-1');
    await hover(canvas, 0.4, 0.4);
    const { value } = await pixelOf(canvas);
    const truth = await pixelOf(image(page, 'Truth', 'xrf-1'));
    const recon = await pixelOf(image(page, 'Reconstruction', 'xrf-1'));
    assert.equal(value, Math.fround(recon.value - truth.value));
    const at = recon.row * size + recon.column;
    const [joint, alone] = ['run', 'alone'].map((r) => runs.tiff(r, 'xrf-1', middle).values[at]!);
    assert.notEqual(joint, alone);
    assert.equal((await pixelOf(image(page, 'Reconstruction \u2212 alone', 'xrf-1'))).value,
      Math.fround(joint! - alone!));
    const high = (site: string) => image(page, 'Reconstruction', site)
      .locator('xpath=..').locator('.ends span').last().textContent();
    assert.notEqual(await high('xrf-1'), await high('xrf-2'));
    await page.getByLabel('Same colour scale').check();
    assert.equal(await high('xrf-1'), await high('xrf-2'));
    assert.notEqual(await high('xrf-1'), await high('xrt'));
  }));

test('reaches every control with the keyboard', () =>
  on('keyboard', report, async (page) => {
    const reached = new Set<string>();
    for (let k = 0; k < 100; ++k) {
      await page.keyboard.press('Tab');
      reached.add(await page.evaluate(() => {
        const e = document.activeElement!;
        const outline = getComputedStyle(e).outlineStyle;
        if (e !== document.body && outline === 'none') return `no outline: ${e.outerHTML}`;
        return e.getAttribute('aria-label') ?? e.textContent ?? '';
      }));
    }
    const all = [...reached].join('\n');
    assert.doesNotMatch(all, /no outline/);
    for (const part of ['Dark colours', 'Each site alone', 'Zoom in', 'Reconstruction of xrt',
      'Profile along the line', 'Objective', 'Sinogram b of xrf-1', 'study.toml']) {
      assert.ok(all.includes(part), `${part} is not reached`);
    }
    const canvas = image(page, 'Reconstruction', 'xrf-1');
    await canvas.focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'Shift+ArrowUp', '+', '+']) {
      await page.keyboard.press(key);
    }
    await settle(page);
    const { row, column, value } = await pixelOf(canvas);
    assert.deepEqual([row, column], [size / 2 - 10, size / 2 + 2]);
    assert.equal(value, runs.tiff('run', 'xrf-1', middle).values[row * size + column]);
    assert.equal(await readout(canvas).getAttribute('aria-live'), 'polite');
    await page.keyboard.press('a');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('b');
    await settle(page);
    assert.equal(await page.locator('.profile input').first().inputValue(), String(row));
    assert.equal(await page.locator('.profile input').nth(2).inputValue(), String(row + 1));

    await page.locator('#convergence .plot').first().focus();
    await page.keyboard.press('ArrowRight');
    const legend = page.locator('#convergence .u-legend').first().locator('.u-value');
    assert.equal(await legend.first().textContent(), '0');
    const first = runs.document(report).curves![0]!.value[0]!;
    assert.equal(await legend.nth(1).textContent(), number(first, 5));
  }));

test('zooms charts and hides curves with the keyboard', () =>
  on('chart-keys', report, async (page) => {
    const chart = page.getByRole('group', { name: /^Residual/ });
    const canvas = chart.locator('canvas');
    const drawn = async () => {
      await settle(page);
      return pixels(canvas);
    };
    await canvas.scrollIntoViewIfNeeded();
    const whole = await drawn();
    await chart.focus();
    await page.keyboard.press('+');
    const closer = await drawn();
    assert.notEqual(closer, whole);
    await page.keyboard.press('-');
    assert.equal(await drawn(), whole);
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await page.keyboard.press('0');
    assert.equal(await drawn(), whole);

    const name = chart.getByRole('button', { name: 'xrf-2', exact: true });
    await name.focus();
    await page.keyboard.press('Enter');
    assert.equal(await name.getAttribute('aria-pressed'), 'false');
    assert.notEqual(await drawn(), whole);
    // The curve stays hidden when the chart is rebuilt.
    await page.getByLabel('Values on a log scale').uncheck();
    assert.equal(await name.getAttribute('aria-pressed'), 'false');
    const linear = await drawn();
    await page.getByLabel('Values on a log scale').check();
    assert.notEqual(await drawn(), linear);
    await name.focus();
    await page.keyboard.press(' ');
    assert.equal(await name.getAttribute('aria-pressed'), 'true');
    assert.equal(await drawn(), whole);
  }));

test('prints the slice number and the whole study', () =>
  on('print', report, async (page) => {
    await page.locator('details').evaluateAll((all) =>
      all.forEach((e) => ((e as HTMLDetailsElement).open = true)));
    await page.locator('pre').evaluate((e) => (e.textContent += `description = "${'long '.repeat(99)}"`));
    await page.emulateMedia({ media: 'print' });
    for (const part of ['#images', '#sinograms']) {
      assert.match(await page.locator(`${part} .slider`).innerText(), /^Slice\s1$/);
      assert.equal(await page.locator(`${part} .toolbar button:visible`).count(), 0);
      assert.equal(await page.locator(`${part} .slider input`).isVisible(), false);
    }
    const cut = await page.locator('pre').evaluate((e) => e.scrollWidth - e.clientWidth);
    assert.ok(cut <= 0, `${cut} pixels are cut off`);
  }));

test('shows the targets of each chunk and one bound for all chunks', async () => {
  runs.firm('recon', 's/study.toml', '--out', 'chunks', '--set', 'chunks=2', ...rule);
  const page = runs.path('chunks', 'report.html');
  const { summary, levels: targets, curves } = runs.document(page);
  const [first, second] = summary.chunks!;
  const target = targets!.find((t) => t.site === 'xrt')!;
  assert.deepEqual(target.round, [0, first!.rounds + 1]);
  [first!, second!].forEach((chunk, k) => {
    assert.ok(Math.abs(target.value[k]! / (0.02 * chunk.full_scale!['xrt']!) - 1) < 1e-6);
  });
  // The rule holds at the end of each chunk.
  const residual = curves!.find((c) => c.key === 'residual' && c.site === 'xrt')!;
  const at = (round: number) => residual.value[residual.round.indexOf(round)]!;
  assert.ok(at(first!.rounds) <= target.value[0]!);
  assert.ok(residual.value.at(-1)! <= target.value[1]!);
  assert.ok(at(target.round[1]!) > target.value[1]!);
  const r = Math.hypot(first!.kkt.stationarity, second!.kkt.stationarity);
  await on('chunks', page, async (p) => {
    const text = await p.getByText(/can lower the objective/).textContent();
    assert.ok(text!.includes(`by more than ${number(r, 2)} \u00b7`), text!);
    const label = await p.getByRole('group', { name: /^Residual/ }).getAttribute('aria-label');
    assert.ok(label!.includes(`xrt: target: ${number(target.value[0])}`), label!);
  });
});

test('uses the colours of the system or of the button', () =>
  on('dark', report, async (page) => {
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await ground(), 'rgb(20, 23, 27)');
    await page.getByRole('button', { name: 'Light colours' }).click();
    assert.equal(await ground(), 'rgb(255, 255, 255)');
    await page.getByRole('button', { name: 'Dark colours' }).click();
    assert.equal(await ground(), 'rgb(20, 23, 27)');
    await page.emulateMedia({ media: 'print' });
    assert.equal(await ground(), 'rgb(255, 255, 255)');
    assert.equal(await page.locator('.toolbar button').first().isVisible(), false);
    await page.emulateMedia({ media: 'screen' });
    await settle(page);
  }, { colorScheme: 'dark' }));

test('fits the width of a phone', () =>
  on('narrow', report, async (page) => {
    for (const name of ['Each site alone', 'Reconstruction \u2212 truth']) {
      await page.getByLabel('Images to show').getByRole('button', { name }).click();
    }
    await page.locator('details').evaluateAll((all) =>
      all.forEach((e) => ((e as HTMLDetailsElement).open = true)));
    await settle(page);
    const box = (await image(page, 'Reconstruction', 'xrt').boundingBox())!;
    assert.ok(box.width > 300);
  }, { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true }));

test('thins twenty thousand rounds without losing a peak', async () => {
  runs.firm('recon', 's/study.toml', '--out', 'long', ...rule);
  runs.lengthen('long', 20000);
  runs.firm('report', 'long', '--out', 'long.html');
  const curves = runs.document(runs.path('long.html')).curves!;
  const objective = curves.find((c) => c.key === 'objective')!;
  assert.ok(objective.points > 20000);
  assert.ok(objective.value.length <= 2000 && objective.value.length > 1500);
  assert.equal(objective.value[objective.round.indexOf(5000)], 7);
  await on('long', runs.path('long.html'), async (page) => {
    await page.getByText(/^Each curve shows at most/).waitFor();
    await page.getByLabel('Rounds on a log scale').uncheck();
    await page.locator('#convergence select').selectOption('seconds');
    await settle(page);
  });
});

test('limits the size of the page and says what it leaves out', async () => {
  runs.study('large', 'large', '--size', '320', '--angles', '6', '--slices', '8');
  runs.firm('recon', 'large/study.toml', '--out', 'large-run', '--set', 'stop.change=0.9');
  const page = runs.path('large-run', 'report.html');
  const { images } = runs.document(page);
  const kept = images!.slices;
  assert.ok(kept.length > 1 && kept.length < 8 && kept.includes(4), String(kept));
  await on('large', page, async (p) => {
    await p.getByText('values are rounded to 65 535 steps').waitFor();
    await p.getByText(`${kept.length} of 8 slices are shown`).waitFor();
    const canvas = image(p, 'Reconstruction', 'xrf-2');
    await hover(canvas, 0.5, 0.4);
    const { row, column, value } = await pixelOf(canvas);
    const { values } = runs.tiff('large-run', 'xrf-2', kept[Math.floor(kept.length / 2)]!);
    const stack = images!.stacks.find((s) => s.site === 'xrf-2')!;
    assert.ok(Math.abs(value - values[row * 320 + column]!) <= stack.step! / 2 * 1.01);
  });
});

test('shows only its own images at a site, and none at the coordinator', async () => {
  runs.firm('demo', '--out', 'demo');
  const all = runs.document(runs.path('demo', 'report.html'));
  assert.equal(all.kind, 'federation');
  assert.equal(new Set(all.images!.stacks.map((s) => `${s.site} ${s.view}`)).size, 12);
  const own = runs.path('demo', 'federated', 'xrf-2', 'report.html');
  const document = runs.document(own);
  assert.equal(document.kind, 'site');
  for (const stack of [...document.images!.stacks, ...document.sinograms!.stacks]) {
    assert.equal(stack.site, 'xrf-2');
  }
  for (const curve of document.curves!) assert.ok(['', 'xrf-2'].includes(curve.site));
  assert.deepEqual((document.summary.sites as { name: string }[]).map((s) => s.name), ['xrf-2']);
  assert.equal(document.image_norm, undefined);
  // With firm-ds the XRT site has its image, and thus its error, only at the end.
  const errors = (site: string) => runs.document(runs.path('demo', 'federated', site, 'report.html'))
    .curves!.filter((c) => c.key === 'error_to_truth').length;
  assert.deepEqual(['xrf-2', 'xrt'].map(errors), [1, 0]);
  await on('site', own, async (page) => {
    await page.getByText('One site of a federation').waitFor();
    assert.equal(await page.locator('#images canvas.image').count(), 2);
  });
  const coordinator = runs.path('demo', 'federated', 'coordinator', 'report.html');
  const known = runs.document(coordinator);
  assert.deepEqual(Object.keys(known).sort(), ['format', 'kind', 'program', 'summary', 'version']);
  await on('coordinator', coordinator, async (page) => {
    await page.getByText('has neither images nor curves').waitFor();
    assert.deepEqual(await page.locator('#traffic tbody th').allTextContents(),
      ['xrf-1', 'xrf-2', 'xrf-3', 'xrt']);
    assert.match((await page.locator('#traffic tbody td').first().textContent())!, /^[\d.]+ [KM]iB$/);
    assert.equal(await page.locator('canvas').count(), 0);
  });
  await on('federation', runs.path('demo', 'report.html'), async (p) => {
    assert.equal(await p.locator('#images canvas.image').count(), 8);
    await p.getByRole('columnheader', { name: 'site alone' }).waitFor();
  });
});

test('shows the search of the strength of the prior', async () => {
  runs.firm('recon', 's/study.toml', '--out', 'prior', '--prior', 'tv');
  runs.firm('recon', 's/study.toml', '--out', 'given', '--prior', 'tv', '--set', 'prior.strength=1');
  const { prior } = runs.summary('prior');
  await on('prior', runs.path('prior', 'report.html'), async (page) => {
    await page.getByText(`Total variation, strength ${number(prior!.strength, 3)}, found`).waitFor();
    const chart = page.locator('#prior .plot');
    await chart.scrollIntoViewIfNeeded();
    assert.match((await chart.getAttribute('aria-label'))!, new RegExp(
      `rays left out: from ${number(prior!.curve[10]![1])} to ${number(prior!.curve[0]![1])}, ` +
      '11 points; strength used: '));
    assert.ok(await colours(chart.locator('canvas'), 3) > 3);
  });
  await on('given-prior', runs.path('given', 'report.html'), async (page) => {
    await page.getByText('Total variation, strength 1, as given').waitFor();
    assert.equal(await page.locator('#prior .plot').count(), 0);
  });
  await on('no-prior', report, async (page) => {
    await page.locator('#convergence').waitFor();
    assert.equal(await page.locator('#prior').count(), 0);
  });
});
