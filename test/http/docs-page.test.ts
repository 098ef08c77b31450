import chromium from '@sparticuz/chromium';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Browser, chromium as browsers } from 'playwright-core';
import { docsPage } from '../../src/openapi/docs-page.ts';
import { notesService } from './notes-service.ts';
import { testDatabase, type TestDatabase } from '../stack/test-database.ts';

let database: TestDatabase;
let service: Awaited<ReturnType<typeof notesService>>;
let browser: Browser;
beforeAll(async () => {
  database = await testDatabase();
  service = await notesService({ databaseUrl: database.url, app: { docs: docsPage() } });
  browser = await browsers.launch({ executablePath: await chromium.executablePath(), args: chromium.args });
});
afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

test('a browser shows every operation, sends a request with a key, and loads nothing from elsewhere', async () => {
  const page = await browser.newPage();
  const problems: string[] = [];
  const elsewhere: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(service.url) && !request.url().startsWith('data:')) elsewhere.push(request.url());
  });

  await page.goto(`${service.url}/docs`);
  expect(page.url()).toBe(`${service.url}/docs/`);
  await page.locator('.opblock').first().waitFor();
  expect(await page.locator('.opblock').count()).toBe(7);
  expect(problems).toEqual([]);

  const key = await service.key(['ADMIN']);
  await page.locator('button.authorize').first().click();
  await page.locator('.auth-container input').first().fill(key);
  await page.locator('.auth-btn-wrapper button.authorize').first().click();
  await page.locator('button.btn-done').first().click();
  await page.locator('#operations-default-addNote .opblock-summary-control').click();
  await page.locator('#operations-default-addNote button.try-out__btn').click();
  await page.locator('#operations-default-addNote textarea').first().fill('{"text":"written in the browser"}');
  await page.locator('#operations-default-addNote button.execute').click();
  await page
    .locator('#operations-default-addNote .live-responses-table .response-col_status', { hasText: '201' })
    .waitFor();

  expect(await service.countNotes()).toBe(1);
  expect(elsewhere).toEqual([]);
  await page.close();
});

test('the page keeps the content security policy, and the migration guide is there', async () => {
  const page = await service.call('GET', '/docs/');
  expect(page.headers.get('content-security-policy')).toBe(
    "default-src 'self';connect-src 'self' https://ledger.example;frame-ancestors 'none';img-src 'self' data:;" +
      "style-src 'self' 'unsafe-hashes' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='",
  );
  const guide = await service.call('GET', '/docs/migrations/v1');
  expect([guide.status, guide.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
  expect(await guide.text()).toContain('# Move to v1');
  expect((await service.call('GET', '/docs/../package.json')).status).toBe(404);
});
