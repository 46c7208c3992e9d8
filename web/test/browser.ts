// A browser, and what tests do in it. Every test fails on a request that leaves the file or the
// server of the page, on an error in the console, and on a page that is wider than its window.
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
  troubles: string[];
}

async function open(where: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(60000); // Machines may have other things to do.
  const page = await context.newPage();
  const served = where.startsWith('http:');
  const url = served ? where : pathToFileURL(where).href;
  const own = (other: string) => served
    ? new URL(other).origin === new URL(url).origin : other === url;
  const troubles: string[] = [];
  page.on('request', (r) => {
    if (!own(r.url()) && !r.url().startsWith('data:')) troubles.push(`request ${r.url()}`);
    // What follows # in the address stays in the browser.
    if (r.url().includes('token')) troubles.push(`token in ${r.url()}`);
  });
  page.on('console', (m) => {
    if (m.type() === 'error' || m.type() === 'warning') troubles.push(`console: ${m.text()}`);
  });
  page.on('pageerror', (e) => troubles.push(`error: ${e.stack ?? e.message}`));
  await page.goto(url);
  await page.locator('.overview, #runs').first().waitFor();
  return { page, troubles };
}

async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env['FIRM_SCREENSHOTS'];
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

export async function checkWidth(page: Page, name: string): Promise<void> {
  const wide = await page.evaluate(() =>
    document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `the page is ${wide} pixels wider than its window`);
  await keepPicture(page, name);
}

/** Runs a test on a page, a file or one of a server, keeps a picture of it where FIRM_SCREENSHOTS
 *  says, and looks for trouble other than what is `allowed`. */
export async function on(
  name: string,
  where: string,
  work: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
  allowed?: RegExp,
): Promise<void> {
  const { page, troubles } = await open(where, options);
  try {
    await work(page);
    await checkWidth(page, name);
  } finally {
    await page.context().close();
  }
  assert.deepEqual(troubles.filter((t) => !allowed?.test(t)), []);
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

/** Number of different colours of a canvas, once it has more than `least`; it is drawn in a frame
 *  that may be still to come. */
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
