// Tests of fits and warnings on the pages of reports, running and compared runs, in a browser.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Locator } from 'playwright-core';
import type { Summary } from '../src/document';
import { number } from '../src/format';
import { on, startBrowser, stopBrowser } from './browser';
import { Runs } from './runs';

const runs = new Runs();
const narrow = { colorScheme: 'dark', viewport: { width: 390, height: 800 } } as const;

before(async () => {
  runs.study('s', 'fits', '--size', '32', '--angles', '24', '--noise', '0.01', '--preset', 'elements');
  runs.firm('recon', 's/study.toml', '--out', 'fit');
  await startBrowser();
});

after(async () => {
  await stopBrowser();
  await runs.remove();
});

function setFits(summary: Summary, fits: number[]): void {
  summary.sites!.forEach((site, k) => {
    Object.assign(site, { fit: fits[k], sigma: 0.002, sigma_source: k === 3 ? 'guess' : 'given' });
  });
  summary.fits = fits.every((fit) => fit <= 2);
}

test('shows what a site has alone, and what comes from the others', async () => {
  const saved = runs.summary('fit');
  runs.editSummary('fit', (summary) => {
    setFits(summary, [1.4, 1, 1, 1]);
    Object.assign(summary.sites![0]!, { fit_alone: 0.87, others_share: 0.614, contradicted: true });
    summary.fits = false;
  });
  runs.firm('report', 'fit');
  await on('contradicted', runs.path('fit', 'report.html'), async (page) => {
    const table = page.locator('#sites table').first();
    const heads = await table.locator('thead th').allTextContents();
    const first = await table.locator('tbody tr').first().locator('th, td').allTextContents();
    const cell = (heading: string) => first[heads.indexOf(heading)];
    assert.deepEqual([cell('Fit'), cell('Fit, site alone'), cell('From other sites')],
      ['1.4 missed', '0.87', '61 %']);
    assert.equal(await page.locator('.overview .verdict').getAttribute('data-fit'), 'missed');
  });
  runs.editSummary('fit', (summary) => { Object.assign(summary, saved); });
});

test('says which sites are fitted, their noise, and all warnings', async () => {
  const [noise, dead] = ['the data of xrt is missed by 14 standard deviations', '3 dead beamlets'];
  runs.editSummary('fit', (summary) => {
    setFits(summary, [1.02, 0.31, 1.1, 14.2]);
    summary.sites!.forEach((site, k) => (site.preparation = { warnings: k === 1 ? [dead] : [] }));
    summary.warnings = [noise];
  });
  runs.editHistory('fit', (line) => ({ ...line, fit: { 'xrf-1': 1.5, xrt: 14.2 } }));
  runs.firm('report', 'fit');
  for (const [name, options] of [['fit', {}], ['fit-narrow', narrow]] as const) {
    await on(name, runs.path('fit', 'report.html'), async (page) => {
      const verdict = page.locator('.overview .verdict');
      assert.equal(await verdict.getAttribute('data-fit'), 'missed');
      assert.match((await verdict.textContent())!, /^The data of xrt is missed by 14 standard deviations\. .*xrf-2/);
      const rows = page.locator('#sites table').first().locator('tbody tr');
      assert.deepEqual(await rows.locator('.fit').allTextContents(),
        ['1.02 good', '0.31 overfitted', '1.1 good', '14.2 missed']);
      const cells = (row: Locator) => row.locator('td').allTextContents();
      const [, , , , sigma, , source] = await cells(rows.first());
      assert.deepEqual([sigma, source], ['0.002 g/cm\u00b2', 'given in the study']);
      const [, , , , bare, level, guess] = await cells(rows.last());
      assert.deepEqual([bare, guess], ['0.002', 'estimated, only for the fit']);
      const { residual, full_scale: scale } = runs.summary('fit').sites![3]!;
      assert.equal(level, number(residual! / scale! / 14.2, 3));
      assert.deepEqual(await page.locator('#warnings li').allTextContents(), [noise, `xrf-2: ${dead}`]);
      const chart = page.getByRole('group', { name: /^Fit of each site/ });
      assert.match((await chart.getAttribute('aria-label'))!, /xrf-1: .*xrt: .*noise: /);
    }, options);
  }
});

test('shows a run of a program that judges no fit', async () => {
  runs.firm('recon', 's/study.toml', '--out', 'older');
  runs.editSummary('older', (summary) => {
    delete summary.fits;
    delete summary.warnings;
    for (const site of summary.sites!) {
      delete site.fit;
      delete site.sigma;
      delete site.sigma_source;
      delete site.preparation;
    }
  });
  runs.editHistory('older', ({ fit: _, ...line }) => line);
  runs.firm('report', 'older');
  await on('older', runs.path('older', 'report.html'), async (page) => {
    assert.equal(await page.locator('.verdict, .fit, #warnings').count(), 0);
    const headings = await page.locator('#sites table').first().locator('thead th').allTextContents();
    assert.deepEqual(headings, ['Site', 'Measures', '\u2016A w \u2212 b\u2016', 'Fitted noise level',
      'Distance to truth']);
    assert.equal(await page.getByRole('group', { name: /^Fit of each site/ }).count(), 0);
  });
});

/** Serves the page of a dashboard, with these events in place of those of a run. */
async function serve(page: string, events: { event: string; data: object }[]): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url === '/api/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const { event, data } of events) {
        response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      }
    } else {
      response.writeHead(request.url === '/' ? 200 : 204, { 'content-type': 'text/html' });
      response.end(request.url === '/' ? page : '');
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

test('shows fits and warnings while a run computes', async () => {
  const viewed = runs.start('view', 'fit');
  const html = await (await fetch(await viewed.address())).text();
  viewed.kill();
  const live = { state: 'computing', stage: '', round: 1, limit: 10, chunk: 0, chunks: 1, seconds: 1,
    remaining: null, at_most: false, progress: null, messages: [], warnings: ['xrt: no air'], images: 0,
    control: true };
  const fit = (site: string, from: number, value: number[]) => ({ key: 'fit', site,
    points: value.length, round: value.map((_, k) => from + k), seconds: value.map((_, k) => from + k), value });
  const server = await serve(html, [
    { event: 'document', data: { format: 'firm-report', version: 1, program: '1', kind: 'recon', live,
      summary: { study: 'fits', version: '1', seconds: 1 },
      curves: [fit('xrf-1', 0, [9, 5]), fit('xrt', 0, [30, 20])] } },
    { event: 'rounds', data: { curves: [fit('xrf-1', 2, [1.25]), fit('xrt', 2, [7.5])] } },
    { event: 'status', data: { ...live, round: 2, warnings: ['xrt: no air', 'no sigma'] } },
  ]);
  for (const [name, options] of [['live-fit', {}], ['live-fit-narrow', narrow]] as const) {
    await on(name, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, async (page) => {
      await page.locator('#run .fit', { hasText: '7.5 missed' }).waitFor();
      assert.deepEqual(await page.locator('#run table tbody tr').allTextContents(),
        ['xrf-11.25 good', 'xrt7.5 missed']);
      await page.locator('#warnings li', { hasText: 'no sigma' }).waitFor();
      assert.deepEqual(await page.locator('#warnings li').allTextContents(), ['xrt: no air', 'no sigma']);
      const chart = page.getByRole('group', { name: /^Fit of each site/ });
      await chart.scrollIntoViewIfNeeded();
      assert.match((await chart.getAttribute('aria-label'))!, /xrt: from 30 to 7\.5, 3 points/);
    }, options);
  }
  server.closeAllConnections();
  server.close();
});

test('compares the fits of two runs', async () => {
  runs.firm('recon', 's/study.toml', '--out', 'other', '--method', 'pgd');
  runs.editSummary('other', (summary) => setFits(summary, [1.02, 0.31, 1.1, 0.9]));
  runs.editHistory('other', (line) => ({ ...line, fit: { 'xrf-1': 1.5, xrt: 3 } }));
  runs.firm('report', 'other');
  const program = runs.start('view', 'fit', 'other');
  await on('compare-fit', await program.address(), async (page) => {
    assert.deepEqual(await page.locator('#runs .fit').allTextContents(),
      ['14.2 (xrt) missed', '0.31 (xrf-2) overfitted']);
    await page.getByLabel('Residual and fit of').selectOption('xrt');
    const chart = page.getByRole('group', { name: /^Fit of xrt/ });
    assert.match((await chart.getAttribute('aria-label'))!, /fit: .*other: .*noise: /);
  });
  program.kill();
});
