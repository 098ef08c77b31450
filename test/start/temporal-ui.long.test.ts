import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import chromium from '@sparticuz/chromium';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Browser, chromium as browsers, type Page } from 'playwright-core';
import type { StackAddresses } from '../../embedded/stack.ts';
import { until } from '../stack/until.ts';
import { dataFolder, npmStart, type Started } from './npm-start.ts';

const PATIENCE_MS = 120_000;
/** Where `SCREENSHOTS=docs/images npm run unit -- test/start/temporal-ui` puts the pictures of docs/operations/README.md. */
const pictures = process.env['SCREENSHOTS'];

let folder: Awaited<ReturnType<typeof dataFolder>>;
let running: Started;
let addresses: StackAddresses;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  folder = await dataFolder();
  running = npmStart(folder.path);
  addresses = await running.ready();
  const env = { ...process.env, DATA_DIR: folder.path };
  await promisify(execFile)(process.execPath, ['examples/first-vault.mjs'], { env });
  browser = await browsers.launch({ executablePath: await chromium.executablePath(), args: chromium.args });
  page = await browser.newPage({ viewport: { width: 1280, height: 720 }, timezoneId: 'UTC' });
  page.setDefaultTimeout(PATIENCE_MS);
});
afterAll(async () => {
  await browser.close();
  await running.stop();
  await folder[Symbol.asyncDispose]();
});

/** Waits until the page, or a frame of it, shows a text. */
async function shows(text: string): Promise<void> {
  const isShown = async () => {
    const counts = await Promise.all(page.frames().map((frame) => frame.getByText(text).count()));
    return counts.some((count) => count > 0);
  };
  await until(isShown, { what: `the page to show "${text}"`, deadlineMs: PATIENCE_MS });
}

async function picture(name: string): Promise<void> {
  if (pictures === undefined) return;
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `temporal-ui-${name}.png`) });
}

test('the list of the Temporal UI shows vaults and transactions, and no upkeep', async () => {
  await page.goto(`${addresses.temporalUiUrl}/namespaces/default/workflows`, { waitUntil: 'domcontentloaded' });
  await page
    .getByRole('link', { name: /^vault-/ })
    .first()
    .waitFor();
  expect(await page.getByRole('link', { name: /^tx-/ }).count()).toBeGreaterThan(1);
  expect(await page.getByRole('link', { name: /^(sweep|valuation-refresh|lost-workflows)-/ }).count()).toBe(0);
  await picture('list');
});

test('the link of the start leads to the vaults, and the tab User Metadata of one says its name, its type and what it waits for', async () => {
  const link = /Vaults there +(\S+)/.exec(running.output())?.[1] ?? '';
  await page.goto(link, { waitUntil: 'domcontentloaded' });
  const vault = page.getByRole('link', { name: /^vault-/ });
  await vault.first().waitFor();
  expect(await page.getByRole('link', { name: /^tx-/ }).count()).toBe(0);
  await vault.first().click();
  await page
    .getByRole('link', { name: 'User Metadata' })
    .or(page.getByRole('tab', { name: 'User Metadata' }))
    .first()
    .click();
  await shows('Harbour Loft (PUBLIC)');
  await shows('Settled. Waiting for a vote to end the vault.');
  await picture('vault');
});
