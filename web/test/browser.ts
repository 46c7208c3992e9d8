// Starts a browser and provides the steps of the browser tests. Every test fails on a request to
// another file or server than the page's, on an error in the console, and on a page that is wider
// than its window.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from
  'playwright-core';

let browser: Browser;

export async function startBrowser(): Promise<void> {
  browser = await chromium.launch({
    executablePath: process.env['FIRM_CHROMIUM'] ?? '/usr/bin/chromium',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}

export async function stopBrowser(): Promise<void> {
  await browser?.close();
}

interface Opened {
  page: Page;
  problems: string[];
}

async function open(where: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(60000); // The machine may be busy.
  const page = await context.newPage();
  const served = where.startsWith('http:');
  const url = served ? where : pathToFileURL(where).href;
  const own = (other: string) => served
    ? new URL(other).origin === new URL(url).origin : other === url;
  const problems: string[] = [];
  page.on('request', (r) => {
    if (!own(r.url()) && !r.url().startsWith('data:')) problems.push(`request ${r.url()}`);
    // The part of the address after # must stay in the browser.
    if (r.url().includes('token')) problems.push(`token in ${r.url()}`);
  });
  page.on('console', (m) => {
    if (m.type() === 'error' || m.type() === 'warning') problems.push(`console: ${m.text()}`);
  });
  page.on('pageerror', (e) => problems.push(`error: ${e.stack ?? e.message}`));
  await page.goto(url);
  await page.locator('.overview, #runs').first().waitFor();
  return { page, problems };
}

async function saveScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['FIRM_SCREENSHOTS'];
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

export async function checkWidth(page: Page, name: string): Promise<void> {
  const wide = await page.evaluate(() =>
    document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `the page is ${wide} pixels wider than its window`);
  await saveScreenshot(page, name);
}

/** Runs a test on a page, given as a file or an address. Saves a screenshot in the folder
 *  FIRM_SCREENSHOTS, and fails on problems that do not match `allowed`. */
export async function on(
  name: string,
  where: string,
  work: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
  allowed?: RegExp,
): Promise<void> {
  const { page, problems } = await open(where, options);
  try {
    await work(page);
    await checkWidth(page, name);
  } finally {
    await page.context().close();
  }
  assert.deepEqual(problems.filter((t) => !allowed?.test(t)), []);
}

export function image(page: Page, view: string, site: string): Locator {
  return page.getByRole('img', { name: new RegExp(`^${view} of ${site},`) });
}

export function readout(canvas: Locator): Locator {
  return canvas.locator('xpath=..').locator('output.readout');
}

export async function pixelOf(canvas: Locator): Promise<{ row: number; column: number; value: number }> {
  const data = await readout(canvas).evaluate((e: HTMLElement) => ({ ...e.dataset }));
  return { row: Number(data['row']), column: Number(data['column']), value: Number(data['value']) };
}

export async function hover(canvas: Locator, x: number, y: number): Promise<void> {
  await canvas.scrollIntoViewIfNeeded();
  const box = (await canvas.boundingBox())!;
  await canvas.page().mouse.move(box.x + x * box.width, box.y + y * box.height);
  await settle(canvas.page());
}

export async function settle(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(done))));
}

export function pixels(canvas: Locator): Promise<string> {
  return canvas.evaluate((c: HTMLCanvasElement) => c.toDataURL());
}

/** Number of different colours of a canvas. Waits until there are more than `least`, since the
 *  canvas may be drawn in a later frame. */
export async function colours(canvas: Locator, least = 1): Promise<number> {
  const last = Date.now() + 30000;
  for (;;) {
    await settle(canvas.page());
    const found = await coloursNow(canvas);
    if (found > least || Date.now() > last) return found;
  }
}

function coloursNow(canvas: Locator): Promise<number> {
  return canvas.evaluate((c: HTMLCanvasElement) => {
    const { data } = c.getContext('2d')!.getImageData(0, 0, c.width, c.height);
    const seen = new Set<number>();
    for (let k = 0; k < data.length; k += 4) {
      seen.add((data[k]! << 16) | (data[k + 1]! << 8) | data[k + 2]!);
    }
    return seen.size;
  });
}
