import { expect, test } from '@jest/globals';
import { expectWalletEvents } from '../events/wallet-events.ts';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { contribute, fundWallet, holdings, invest, type Person, person, waitForTransaction } from './participants.ts';
import { rollBackFrom } from './roll-back-transactions.ts';
import { advance, createVault, readVault, waitForVaultStatus } from './vault-requests.ts';
import { errorResponse } from '../stack/error-response.ts';

const WEEK = 7 * 86_400;

const stackOfFile = fileStack();
const isOfDeposits = ({ type }: { type: string }) => type.startsWith('DEPOSITS');

test('a vault that misses its reserve returns every asset and all ADA, less the fees', async () => {
  const stack = stackOfFile();
  const [owner, investor] = [person(11), person(12)];
  const vaultId = await createVault(stack, owner.address);
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Painting: 1, Silver: 500 } });
  await fundWallet(stack, investor, { ada: 100 });
  const before = { owner: await holdings(stack, owner.address), investor: await holdings(stack, investor.address) };
  await stack.ledger.setPrice({ policyId, lovelace: '1000000000' });

  const hashes = [await contribute(stack, vaultId, owner, { policyId, name: 'Painting' })];
  await waitForTransaction(stack, hashes[0]!.hash, ['confirmed', 'final']);
  hashes.push(await contribute(stack, vaultId, owner, { policyId, name: 'Silver', quantity: 500 }));
  const { hash } = await invest(stack, vaultId, investor, 10_000_000);
  for (const sent of [...hashes.map((deposit) => deposit.hash), hash])
    await waitForTransaction(stack, sent, ['confirmed', 'final']);
  await advance(stack, WEEK);
  const vault = await waitForVaultStatus(stack, vaultId, 'TERMINATED');

  expect(vault.termination.reason).toBe('reserve_not_reached');
  expect(vault.investmentWindow.status).toBe('FAILED');
  const units = ['Painting', 'Silver'].map((name) => policyId + Buffer.from(name).toString('hex'));
  const after = await holdings(stack, owner.address);
  expect(units.map((unit) => after.get(unit))).toEqual([1n, 500n]);
  await expectOnlyFeesMissing(stack, owner, before.owner, 2_000_000n);
  await expectOnlyFeesMissing(stack, investor, before.investor, 1_000_000n);
  const rows = await stack.sql.run<{ status: string; reason: string }>`select status, release_reason as reason
      from assets where vault_id = ${vaultId}`;
  expect(rows).toEqual(Array(2).fill({ status: 'RELEASED', reason: 'refunded' }));
  for (const { address } of [owner, investor])
    await expectWalletEvents(stack, address, isOfDeposits, ['DEPOSITS_REFUNDED']);
});

test('a vault without assets is terminated when its asset window ends', async () => {
  const stack = stackOfFile();
  const vaultId = await createVault(stack, person(13).address);
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  await advance(stack, WEEK);

  const vault = await waitForVaultStatus(stack, vaultId, 'TERMINATED');
  expect(vault.termination.reason).toBe('no_assets');
  expect(vault.assetWindow.status).toBe('FAILED');
});

test('a cancelled vault returns its assets and accepts no further deposits', async () => {
  const stack = stackOfFile();
  const owner = person(14);
  const vaultId = await createVault(stack, owner.address);
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Boat: 1 } });
  const before = await holdings(stack, owner.address);
  const { hash } = await contribute(stack, vaultId, owner, { policyId, name: 'Boat' });
  await waitForTransaction(stack, hash, ['confirmed', 'final']);

  const cancelled = await stack.api.post(`/vaults/${vaultId}/cancel`);
  expect(cancelled.status).toBe(200);
  const late = await stack.api.post(`/vaults/${vaultId}/investments`, {
    walletAddress: owner.address,
    lovelace: 5_000_000,
  });
  expect(late).toMatchObject(errorResponse(400, 'VAULT_ALREADY_ENDED'));

  const vault = await waitForVaultStatus(stack, vaultId, 'TERMINATED');
  expect(vault.termination).toMatchObject({
    reason: 'cancelled',
    steps: [{ name: 'return_deposits', status: 'done', transactionHash: expect.any(String), reason: null }],
  });
  const after = await holdings(stack, owner.address);
  expect(after.get(policyId + Buffer.from('Boat').toString('hex'))).toBe(1n);
  await expectOnlyFeesMissing(stack, owner, before, 1_000_000n);
});

test('a deposit that cannot be returned, or whose refund is refused, keeps no other from being returned, and the vault says so', async () => {
  const stack = stackOfFile();
  const [owner, misplaced, wrong, right] = [person(17), person(18), person(19), person(20)];
  const vaultId = await createVault(stack, owner.address);
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Tent: 1 } });
  const hashes = [(await contribute(stack, vaultId, owner, { policyId, name: 'Tent' })).hash];
  for (const investor of [misplaced, wrong, right]) {
    await fundWallet(stack, investor, { ada: 100 });
    hashes.push((await invest(stack, vaultId, investor, 10_000_000)).hash);
  }
  for (const hash of hashes) await waitForTransaction(stack, hash, ['confirmed', 'final']);
  const { sql } = stack;
  const setOwner = (from: Person, to: Person) =>
    sql.query('update investments set wallet = $3 where vault_id = $1 and wallet = $2', [
      vaultId,
      from.address,
      to.address,
    ]);
  const addLovelace = (amount: number) =>
    sql.query(
      `update chain_transactions set outputs = jsonb_set(outputs, '{0,lovelace}',
         to_jsonb(((outputs -> 0 ->> 'lovelace')::numeric + $2::numeric)::text)) where hash = $1`,
      [hashes[2], amount],
    );
  const stranger = person(21);
  await setOwner(misplaced, stranger);
  await addLovelace(-1_000_000);
  await stack.api.post(`/vaults/${vaultId}/cancel`);

  const adaOf = async ({ address }: Person) =>
    Number((await holdings(stack, address)).get('lovelace') ?? 0n) / 1_000_000;
  const unit = policyId + Buffer.from('Tent').toString('hex');
  await untilLater(stack, 'the sound deposits to be returned', async () => {
    const returned = (await holdings(stack, owner.address)).get(unit) === 1n;
    return returned && (await adaOf(right)) > 98;
  });
  expect(Math.max(await adaOf(misplaced), await adaOf(wrong))).toBeLessThan(90);
  await untilLater(stack, 'the hold', async () => {
    const { holds } = await readVault(stack, vaultId);
    return holds.some(({ reason }) => reason === 'repeated_failures');
  });
  const { termination } = await readVault(stack, vaultId);
  const reason = expect.stringMatching('unjustified_transaction|repeated_failures');
  expect(termination.steps).toMatchObject([{ status: 'running', reason }]);

  await setOwner(stranger, misplaced);
  await addLovelace(1_000_000);
  await untilLater(
    stack,
    'the last ones to be returned',
    async () => (await readVault(stack, vaultId)).status === 'TERMINATED',
  );
  expect(Math.min(await adaOf(misplaced), await adaOf(wrong))).toBeGreaterThan(98);
});

/** Lets a minute pass between two looks, so that what failed is tried again. */
const untilLater = (stack: TestStack, what: string, look: () => Promise<boolean>) =>
  until(
    async () => {
      await advance(stack, 60);
      return look();
    },
    { what },
  );

test('a deleted vault stays deleted and its owners keep what it returned, even when the ledger rolls all of it back', async () => {
  const stack = stackOfFile();
  const owner = person(15);
  // First, as a faucet sends nothing again that was rolled back.
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Ship: 1 } });
  const vaultId = await createVault(stack, owner.address);
  const { hash } = await contribute(stack, vaultId, owner, { policyId, name: 'Ship' });
  await waitForTransaction(stack, hash, ['final']);
  await stack.api.post(`/vaults/${vaultId}/cancel`);
  await waitForVaultStatus(stack, vaultId, 'TERMINATED');
  // Refused until the refund is final.
  await until(async () => (await stack.api.del(`/vaults/${vaultId}`)).status === 200, { what: 'the deletion' });
  await waitUntilErased(stack, vaultId);
  const left = await stack.sql.run`select from assets where vault_id = ${vaultId}`;
  expect(left).toEqual([]);

  const all = await stack.sql.query<{ hash: string }>('select hash from chain_transactions where vault_id = $1', [
    vaultId,
  ]);
  await rollBackFrom(
    stack,
    all.rows.map((row) => row.hash),
  );
  const states = async () => {
    const rows = await stack.sql.run<{ state: string }>`select distinct state from chain_transactions
        where vault_id = ${vaultId}`;
    return rows.map(({ state }) => state).join();
  };
  await until(async () => (await states()) === 'final', { what: 'its transactions to be final again' });
  const isReleased = async () => (await stack.sql.query('select from quarantine')).rowCount === 0;
  await untilLater(stack, 'what had no row any more to leave the quarantine', isReleased);
  expect((await stack.api.get(`/vaults/${vaultId}`)).status).toBe(404);
  const unit = policyId + Buffer.from('Ship').toString('hex');
  expect((await holdings(stack, owner.address)).get(unit)).toBe(1n);
});

test('a draft that is deleted is cancelled, so that its workflow ends and its rows are erased', async () => {
  const stack = stackOfFile();
  const later = new Date((await stack.ledger.clock()).nowMs + 2 * 86_400_000).toISOString();
  const vaultId = await createVault(stack, person(16).address, {
    asset: { asset_window_start_time: later },
    investment: { investment_start_time: later },
  });
  expect(await stack.api.del(`/vaults/${vaultId}`)).toMatchObject({ status: 200 });
  expect((await stack.api.get(`/vaults/${vaultId}`)).status).toBe(404);
  await waitUntilErased(stack, vaultId);
  const rows = await stack.sql.run`select status, name, admin_email as email from vaults where id = ${vaultId}`;
  expect(rows).toEqual([{ status: 'TERMINATED', name: '', email: null }]);
});

async function waitUntilErased({ sql }: TestStack, vaultId: string): Promise<void> {
  const erased = async () =>
    (await sql.query('select from vaults where id = $1 and erased_at is not null', [vaultId])).rowCount === 1;
  await until(erased, { what: `the rows of vault ${vaultId} to be erased` });
}

async function expectOnlyFeesMissing(
  stack: TestStack,
  { address }: Person,
  before: ReadonlyMap<string, bigint>,
  most: bigint,
): Promise<void> {
  const missing = (before.get('lovelace') ?? 0n) - ((await holdings(stack, address)).get('lovelace') ?? 0n);
  expect(missing).toBeGreaterThan(0n);
  expect(missing).toBeLessThan(most);
}
