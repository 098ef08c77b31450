import chromium from '@sparticuz/chromium';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Browser, chromium as browsers } from 'playwright-core';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { signingWallet } from './signing-wallet.ts';

let service: ApiService;
let browser: Browser;
beforeAll(async () => {
  service = await apiService();
  browser = await launch();
});
afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
});

const launch = async () => browsers.launch({ executablePath: await chromium.executablePath(), args: chromium.args });

/** The number of operations in the service's own document. */
async function operationCount(): Promise<number> {
  const { body } = await service.root.get<{ paths: Record<string, object> }>('/openapi.json');
  return Object.values(body.paths).flatMap((path) => Object.keys(path)).length;
}

test('a browser at the root is led to the documentation; every other client is told that there is nothing', async () => {
  const get = (accept: string) => fetch(service.url, { headers: { accept }, redirect: 'manual' });
  const ofBrowser = await get('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
  expect([ofBrowser.status, ofBrowser.headers.get('location')]).toEqual([302, '/docs/']);
  for (const accept of ['*/*', 'application/json', 'text/plain']) {
    const other = await get(accept);
    expect([other.status, await other.json()]).toMatchObject([404, { error: { code: 'ROUTE_NOT_FOUND' } }]);
    expect(other.headers.get('vary')).toContain('Accept');
  }
});

test('a browser shows every operation of the service, sends requests with key and session, also after a reload, and loads nothing from elsewhere', async () => {
  const page = await browser.newPage();
  const uncompressed: string[] = [];
  page.on('response', (response) => {
    if (response.headers()['content-encoding'] !== 'gzip') uncompressed.push(response.url().slice(service.url.length));
  });
  const problems: string[] = [];
  const elsewhere: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(service.url) && !request.url().startsWith('data:')) elsewhere.push(request.url());
  });

  await page.goto(service.url);
  expect(page.url()).toBe(`${service.url}/docs/`);
  expect(await page.title()).toBe('Vault Tokenization Service: API');
  await page.locator('.opblock').first().waitFor();
  expect(await page.locator('.opblock.is-open, .models.is-open').count()).toBe(0);
  expect(uncompressed.filter((path) => !path.endsWith('.png'))).toEqual(['/']);
  expect(await page.locator('.opblock').count()).toBe(await operationCount());
  expect(await page.locator('.opblock-tag-section').count()).toBe(10);
  expect(problems).toEqual([]);

  const { key, headers } = await logIn(service, signingWallet());
  await page.locator('button.authorize').first().click();
  const credentials = { apiKey: key, session: headers.authorization.replace('Bearer ', '') };
  for (const [scheme, credential] of Object.entries(credentials)) {
    const form = page.locator('.auth-container', { hasText: scheme });
    await form.locator('input').fill(credential);
    await form.locator('button.authorize').click();
  }
  await page.locator('button.btn-done').first().click();
  await page.reload();

  const open = async (id: string) => {
    const operation = page.locator(`#operations-Login-${id}`);
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('button.try-out__btn').click();
    return operation;
  };
  const status = (text: string) => ['.live-responses-table .response-col_status', { hasText: text }] as const;
  const nonce = await open('createNonce');
  await nonce
    .locator('textarea')
    .first()
    .fill(JSON.stringify({ address: signingWallet().address }));
  await nonce.locator('button.execute').click();
  await nonce.locator(...status('201')).waitFor();
  // Only a session has sessions: the page sends both credentials.
  const sessions = await open('listSessions');
  await sessions.locator('button.execute').click();
  await sessions.locator(...status('200')).waitFor();
  const parameters = page.locator('#operations-Login-endSession .parameters');
  await page.locator('#operations-Login-endSession .opblock-summary-control').click();
  await parameters.getByText('ID of the session. It is not the token.').waitFor();
  expect(elsewhere).toEqual([]);
  await page.close();
});

test('who does not accept gzip gets the same texts as they are, and who has a text already gets nothing', async () => {
  for (const path of ['/openapi.json', '/asyncapi.json', '/docs/', '/docs/swagger-ui-bundle.js']) {
    const get = (headers: Record<string, string>) => fetch(service.url + path, { headers });
    const [plain, gzip] = [await get({ 'accept-encoding': 'identity' }), await get({ 'accept-encoding': 'gzip' })];
    const encodings = [plain, gzip].map(({ headers }) => headers.get('content-encoding'));
    expect([path, ...encodings]).toEqual([path, null, 'gzip']);
    expect(await plain.text()).toBe(await gzip.text());
    for (const { headers } of [plain, gzip]) {
      expect(headers.get('vary')).toContain('Accept-Encoding');
      expect((await get({ 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
    }
  }
});

test('the page keeps the content security policy, and the migration guide is there', async () => {
  const get = (path: string) => fetch(`${service.url}${path}`);
  const policy = (await get('/docs/')).headers.get('content-security-policy');
  expect(policy?.replace(/connect-src [^;]*/, 'connect-src …')).toBe(
    "default-src 'self';connect-src …;base-uri 'self';form-action 'self';frame-ancestors 'none';img-src 'self' data:",
  );
  expect(policy).toMatch(/connect-src 'self' http:\/\/127\.0\.0\.1:\d+;/);
  const guide = await get('/docs/migrations/v1');
  expect([guide.status, guide.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
  expect(await guide.text()).toContain('# Move to v1');
  expect((await get('/docs/../package.json')).status).toBe(404);
});

test('a browser shows the events and the messages of socket.io as a page with the style of this service', async () => {
  const own = await launch();
  const page = await own.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await page.goto(`${service.url}/docs/events`);
  expect(await page.locator('h3#subscribe, h3#events, h3#closed, h3#VAULT_STATUS_CHANGED, h3#VOTE_CAST').count()).toBe(
    5,
  );
  const style = 'getComputedStyle(document.querySelector("table")).borderCollapse';
  expect(await page.evaluate(style)).toBe('collapse');
  expect(problems).toEqual([]);
  await own.close();
  const { body } = await service.root.get<{ asyncapi: string; operations: object }>('/asyncapi.json');
  expect(body.asyncapi).toBe('3.1.0');
});
