import { expect, test } from '@jest/globals';
import { fileStack } from '../stack/file-stack.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import {
  contribute,
  type DepositAnswer,
  fundWallet,
  holdings,
  invest,
  person,
  requestAddAsset,
  submitWitnesses,
  waitForTransaction,
} from './participants.ts';
import { advance, holdEvents, waitForVaultStatus, createVault, readVault } from './vault-requests.ts';

const DAY = 86_400;
const WEEK = 7 * DAY;
const ADA = 1_000_000;

interface Plan {
  readonly value: string;
  readonly invested: string;
}

interface Valuation {
  readonly data: { readonly valuation: { readonly assets: readonly { method: string; ageSeconds: number }[] } };
}

interface Quote {
  readonly ftBaseUnits: string;
  readonly settles: boolean;
  readonly reason: string | null;
  readonly figures: { readonly value: string };
}

const stackOfFile = fileStack();

test('FIXED and LBE vaults get the documented values when prices change during the window', async () => {
  const stack = stackOfFile();
  const [alice, bob, fixedInvestor, lbeInvestor] = [person(41), person(42), person(43), person(44)];
  const terms = { floor_price_percentage: 80 };
  const fixed = await createVault(stack, alice.address, { asset: { ...terms, valuation_type: 'FIXED' } });
  const lbe = await createVault(stack, alice.address, { asset: { ...terms, valuation_type: 'LBE' } });
  const policyId = await fundWallet(stack, alice, { ada: 100, assets: { Silver: 1000 } });
  await fundWallet(stack, bob, { ada: 100, assets: { Gold: 1000 } });
  for (const investor of [fixedInvestor, lbeInvestor]) await fundWallet(stack, investor, { ada: 500 });
  await stack.ledger.setPrice({ policyId, lovelace: String(ADA) });
  for (const vaultId of [fixed, lbe]) {
    const { body } = await requestAddAsset(stack, vaultId, alice, { policyId, name: 'Silver', quantity: 500 });
    // The api can write any price: the worker reads its own, here and below.
    await stack.sql.run`update assets set price = 9000000 where vault_id = ${vaultId}`;
    const given = [
      { hash: await submitWitnesses(stack, alice, body.transaction) },
      await contribute(stack, vaultId, bob, { policyId, name: 'Gold', quantity: 500 }),
    ];
    for (const { hash } of given) await waitForTransaction(stack, hash, ['confirmed', 'final']);
  }

  const quotes = { fixed: await quoteOf(stack, fixed, 300 * ADA), lbe: await quoteOf(stack, lbe, 300 * ADA) };
  await invest(stack, fixed, fixedInvestor, 300 * ADA);
  await invest(stack, lbe, lbeInvestor, 300 * ADA);
  await stack.sql.query(`update assets set price = 9000000 where added_by = '${bob.address}'`);
  await stack.ledger.setPrice({
    policyId,
    assetNameHex: Buffer.from('Silver').toString('hex'),
    lovelace: String(2 * ADA),
  });
  await advance(stack, WEEK);
  const settled = {
    fixed: await waitForVaultStatus(stack, fixed, 'LOCKED'),
    lbe: await waitForVaultStatus(stack, lbe, 'LOCKED'),
  };

  // 500 + 500 tokens at 80 % of 1 ADA; in the LBE vault Silver is valued at 2 ADA.
  expect(await planOf(stack, fixed)).toEqual({ value: String(800 * ADA), invested: String(300 * ADA) });
  expect(await planOf(stack, lbe)).toEqual({ value: String(1200 * ADA), invested: String(300 * ADA) });
  const ft = async (vault: keyof typeof settled, { address }: { address: string }) =>
    (await holdings(stack, address)).get(settled[vault].fractionalization.tokenAddress);
  // Of a million tokens 5 % are liquidity; the contributors get half of the rest.
  expect([await ft('fixed', alice), await ft('fixed', bob)]).toEqual([237_500_000_000n, 237_500_000_000n]);
  expect([await ft('lbe', alice), await ft('lbe', bob)]).toEqual([316_666_666_667n, 158_333_333_333n]);
  // Only the values differ: the price of the tokens follows from what was invested in both (design D12).
  expect([await ft('fixed', fixedInvestor), await ft('lbe', lbeInvestor)]).toEqual([
    475_000_000_000n,
    475_000_000_000n,
  ]);
  expect(quotes.fixed).toMatchObject({ ftBaseUnits: '475000000000', figures: { value: String(800 * ADA) } });
  expect(quotes.lbe.figures.value).toBe(String(800 * ADA));
});

test('tokens of a thin market count with what it can take, in quote and settlement, and a policy with at most its share', async () => {
  const stack = stackOfFile();
  const [owner, investor] = [person(161), person(162)];
  const terms = { floor_price_percentage: 100, valuation_type: 'LBE' };
  const open = await createVault(stack, owner.address, { asset: terms });
  const capped = await createVault(stack, owner.address, { asset: { ...terms, max_share: 50 } });
  const policyId = await fundWallet(stack, owner, { ada: 200, assets: { Dust: 1_000_000 } });
  await fundWallet(stack, investor, { ada: 500 });
  const assetNameHex = Buffer.from('Dust').toString('hex');
  await stack.ledger.setPrice({ policyId, assetNameHex, lovelace: String(ADA), depth: String(60 * ADA) });
  for (const vaultId of [open, capped]) {
    for (const quantity of [300_000, 100_000]) {
      const { hash } = await contribute(stack, vaultId, owner, { policyId, name: 'Dust', quantity });
      await waitForTransaction(stack, hash, ['confirmed', 'final']);
    }
  }
  expect((await quoteOf(stack, open, 50 * ADA)).figures.value).toBe(String(60 * ADA));
  // All assets of this vault have one policy, which may be no more than half of it.
  expect(await quoteOf(stack, capped, 50 * ADA)).toMatchObject({ settles: false, reason: 'no_assets' });
  expect((await stack.api.get<{ data: object }>(`/vaults/${capped}`)).body.data).toMatchObject({
    metadata: { assetSettings: { maxShare: 50 } },
  });
  await invest(stack, open, investor, 50 * ADA);
  // The 25 tokens that exist are worth less than what the market could take.
  await stack.ledger.setPrice({
    policyId,
    assetNameHex,
    lovelace: String(2 * ADA),
    supply: '25',
    depth: String(60 * ADA),
  });
  await advance(stack, WEEK);
  await waitForVaultStatus(stack, open, 'LOCKED');
  // 80 % of the 60 ADA that the investor saw is 48.
  expect(await planOf(stack, open)).toEqual({ value: String(50 * ADA), invested: String(50 * ADA) });
});

test('a vault of a registered type refuses what its rules exclude, and settles with an asset that its admin has priced', async () => {
  const stack = stackOfFile();
  const [owner, other, investor] = [person(174), person(175), person(176)];
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Castle: 1, Shed: 1 } });
  await fundWallet(stack, other, { ada: 100, assets: { Tin: 1000 } });
  await fundWallet(stack, investor, { ada: 500 });
  const hex = (name: string) => Buffer.from(name).toString('hex');
  // The price is older than a day when the window ends, and that of the market is of no use: it is for another unit of measure.
  await stack.ledger.setPrice({ policyId, assetNameHex: hex('Castle'), lovelace: '1', decimals: 5 });
  await stack.ledger.setPrice({ policyId, assetNameHex: hex('Tin'), lovelace: String(ADA) });
  const custom_prices = [{ policy_id: policyId, asset_name: 'Castle', price: 600 * ADA }];
  await stack.api.put('/asset-types/real-estate', { base: 'NFT', priceSources: ['admin'] });
  await stack.api.put('/vault-types/fund', {
    contributors: 'anyone',
    investors: 'anyone',
    valuationTypes: ['LBE'],
    assetTypes: ['real-estate', 'cnt'],
  });
  const terms = { floor_price_percentage: 100, valuation_type: 'LBE', custom_prices };
  const vaultId = await createVault(stack, owner.address, {
    asset: { ...terms, allowed_asset_types: ['real-estate', 'CNT'] },
    vault: { vault_type: 'fund', privacy_type: undefined },
  });
  expect((await requestAddAsset(stack, vaultId, owner, { policyId, name: 'Shed' })).body).toMatchObject({
    error: { code: 'ASSET_TYPE_NOT_ALLOWED' },
  });
  const appraised = await stack.api.post<DepositAnswer>(`/vaults/${vaultId}/assets`, {
    policy_id: policyId,
    asset_name: 'Castle',
    type: 'real-estate',
    wallet_address: owner.address,
  });
  const hashes = [
    await submitWitnesses(stack, owner, appraised.body.transaction),
    (await contribute(stack, vaultId, other, { policyId, name: 'Tin', quantity: 200 })).hash,
  ];
  for (const hash of hashes) await waitForTransaction(stack, hash, ['confirmed', 'final']);
  expect((await quoteOf(stack, vaultId, 400 * ADA)).figures.value).toBe(String(800 * ADA));
  // Nobody changes what assets count with once they are contributed.
  await stack.sql.run`update assets set price = 1000 * price where asset_name = ${hex('Castle')}`;
  await expect(stack.sql.query("update vaults set custom_prices = '[]' where id = $1", [vaultId])).rejects.toThrow(
    'has opened',
  );
  await invest(stack, vaultId, investor, 400 * ADA);
  await advance(stack, WEEK);
  const settled = await waitForVaultStatus(stack, vaultId, 'LOCKED');

  expect(await planOf(stack, vaultId)).toEqual({ value: String(800 * ADA), invested: String(400 * ADA) });
  const ft = async ({ address }: { address: string }) =>
    (await holdings(stack, address)).get(settled.fractionalization.tokenAddress);
  expect([await ft(owner), await ft(other)]).toEqual([356_250_000_000n, 118_750_000_000n]);
  const { body } = await stack.api.get<Valuation>(`/vaults/${vaultId}/valuation`);
  const shown = body.data.valuation.assets.find(({ method }) => method === 'custom');
  expect(shown).toMatchObject({ value: String(600 * ADA), source: 'admin' });
  expect(shown?.ageSeconds).toBeGreaterThan(WEEK - DAY);
});

test('a stale price holds the settlement visibly, and a fresh price releases it', async () => {
  const stack = stackOfFile();
  const [owner, investor] = [person(45), person(46)];
  const vaultId = await createVault(stack, owner.address);
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Lighthouse: 1 } });
  await fundWallet(stack, investor, { ada: 500 });
  const { nowMs } = await stack.ledger.clock();
  await stack.ledger.setPrice({ policyId, lovelace: String(100 * ADA), asOf: new Date(nowMs).toISOString() });
  await contribute(stack, vaultId, owner, { policyId, name: 'Lighthouse' });
  await invest(stack, vaultId, investor, 300 * ADA);

  await advance(stack, WEEK + DAY);
  const held = await readVault(stack, vaultId);
  expect(held).toMatchObject({ status: 'ACTIVE', assetWindow: { status: 'COMPLETED' } });
  expect(held.holds.map(({ reason }) => reason)).toEqual(['stale_price']);
  expect(Date.parse(held.holds[0]?.since ?? '') - Date.parse(held.assetWindow.endTime)).toBeLessThan(3_600_000);
  expect(await planOf(stack, vaultId)).toBeUndefined();

  const fresh = await stack.root.post('/dev/prices', { policyId, lovelace: String(200 * ADA) });
  expect(fresh.status).toBe(200);
  const settled = await waitForVaultStatus(stack, vaultId, 'LOCKED');

  expect(settled.holds).toEqual([]);
  expect((await planOf(stack, vaultId))?.value).toBe(String(180 * ADA));
  expect(await holdEvents(stack, vaultId)).toEqual(['VAULT_HELD', 'VAULT_RELEASED']);
});

test('a vault whose liquidity share is below the configured minimum fails, as its quotes predicted', async () => {
  await using stack = await testStack({ environment: { LP_MINIMUM: String(40 * ADA) } });
  const [owner, investor] = [person(47), person(48)];
  const vaultId = await createVault(stack, owner.address);
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Windmill: 1 } });
  await fundWallet(stack, investor, { ada: 500 });
  await stack.ledger.setPrice({ policyId, lovelace: String(100 * ADA) });
  const { hash } = await contribute(stack, vaultId, owner, { policyId, name: 'Windmill' });
  await waitForTransaction(stack, hash, ['confirmed', 'final']);

  expect(await quoteOf(stack, vaultId, 400 * ADA)).toMatchObject({ settles: true });
  expect(await quoteOf(stack, vaultId, 300 * ADA)).toMatchObject({ settles: false, reason: 'lp_below_minimum' });
  await invest(stack, vaultId, investor, 300 * ADA);
  await advance(stack, WEEK);
  const vault = await waitForVaultStatus(stack, vaultId, 'TERMINATED');

  expect(vault.termination.reason).toBe('lp_below_minimum');
  expect(vault.investmentWindow.status).toBe('FAILED');
});

async function quoteOf({ api }: TestStack, vaultId: string, lovelace: number): Promise<Quote> {
  const answer = await api.get<{ data: Quote }>(`/vaults/${vaultId}/quote?lovelace=${lovelace}`);
  expect(answer.status).toBe(200);
  return answer.body.data;
}

async function planOf({ sql }: TestStack, vaultId: string): Promise<Plan | undefined> {
  const rows = await sql.run<Plan>`select distribution ->> 'value' as value,
      distribution ->> 'invested' as invested from settlements where vault_id = ${vaultId}`;
  return rows[0];
}
