import chromium from '@sparticuz/chromium';
import { expect, test } from '@jest/globals';
import { chromium as browsers } from 'playwright-core';
import { fundWallet, invest, person, waitForTransaction } from '../vault-lifecycle/participants.ts';
import { advance, createVault, readVault } from '../vault-lifecycle/vault-requests.ts';
import { readBech32 } from '../../src/cardano/scripts/address.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import type { Settings } from './frontend/app.ts';
import { servePage } from './frontend/site.ts';

const DAY = 86_400;
const NFT = 'Lighthouse';
/** The longest of: blocks until a transaction is final, and the settlement. */
const PATIENCE = { timeout: 20_000 };

/** A wallet of the development stack with an NFT; the page gets it as a browser wallet. */
async function developmentWallet({ root, ledger }: TestStack) {
  const { body } = await root.post<{ address: string }>('/dev/wallets');
  const { address } = body;
  const policyId = await fundWallet({ ledger }, { address, sign: String }, { ada: 200, assets: { [NFT]: 1 } });
  await ledger.setPrice({ policyId, assetNameHex: Buffer.from(NFT).toString('hex'), lovelace: '500000000' });
  const sign = async <Signed>(how: string, what: object) =>
    (await root.post<Signed>(`/dev/wallets/${address}/${how}`, what)).body;
  return {
    address,
    policyId,
    getNetworkId: () => 0,
    getUsedAddresses: () => [Buffer.from(readBech32(address)?.bytes ?? []).toString('hex')],
    signData: (_address: string, payload: string) => sign('sign-data', { payload }),
    signTx: async (tx: string) => (await sign<{ witnessSet: string }>('sign-tx', { tx })).witnessSet,
  };
}

/** A vault whose windows are open for a day, and the key of an app: alone it may do nothing. */
async function prepare(stack: TestStack, address: string) {
  const key = await stack.api.post<{ data: { key: string } }>('/api-keys', { name: 'app', roles: [] });
  const vaultId = await createVault(stack, address, {
    asset: { asset_window_duration: '01:00:00' },
    investment: { investment_window_duration: '24h' },
  });
  return { apiKey: key.body.data.key, vaultId };
}

test('a page that knows /docs and /docs/events logs a wallet in, deposits, follows the vault to LOCKED, votes and sees the result, without a poll', async () => {
  await using site = await servePage();
  await using stack = await testStack({ environment: { CORS_ORIGINS: site.origin } });
  const { address, policyId, ...wallet } = await developmentWallet(stack);
  const { apiKey, vaultId } = await prepare(stack, address);
  const investor = person(430);
  await fundWallet(stack, investor, { ada: 1000 });
  const { hash } = await invest(stack, vaultId, investor, 300_000_000);

  await using browser = await browsers.launch({
    executablePath: await chromium.executablePath(),
    args: chromium.args,
  });
  const page = await browser.newPage();
  const requests: string[] = [];
  page.on('request', (request) => {
    if (request.url().startsWith(stack.apiUrl())) requests.push(`${request.method()} ${request.url()}`);
  });
  for (const [name, act] of Object.entries(wallet)) await page.exposeFunction(name, act);
  const service = { baseUrl: stack.apiUrl(), apiKey };
  const settings: Settings = { service, vaultId, policyId, assetName: NFT };
  await page.exposeFunction('settings', () => settings);
  const shown = async (text: string | RegExp) => {
    const lines = page.locator('li');
    await lines
      .filter({ hasText: text })
      .first()
      .waitFor(PATIENCE)
      .catch(async () => {
        throw new Error(`the page does not show ${String(text)}: ${(await lines.allInnerTexts()).join(', ')}`);
      });
  };

  await page.goto(site.origin);
  await shown('logged in');
  await shown(/ASSET_ADDED$/);
  await waitForTransaction(stack, hash, ['confirmed', 'final']);
  await advance(stack, DAY);
  await shown('the vault is LOCKED');
  await shown('voted');
  await advance(stack, 3 * DAY + 3600);
  await shown(/^result: [1-9][0-9.]* for it, 0 against it$/);

  expect((await readVault(stack, vaultId)).status).toBe('LOCKED');
  const rows = await stack.sql.run`select decision, wallet from votes`;
  expect(rows).toEqual([{ decision: 'APPROVE', wallet: address }]);
  const reads = requests.filter((request) => request.startsWith('GET '));
  expect(reads.filter((request, index) => reads.indexOf(request) !== index)).toEqual([]);
  expect(reads.filter((request) => request.includes('/events'))).toHaveLength(1);
  expect(reads).toHaveLength(5);
});
