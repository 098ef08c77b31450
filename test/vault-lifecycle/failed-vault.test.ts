import { expect, test } from '@jest/globals';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { contribute, fundWallet, holdings, invest, type Person, person, waitForTransaction } from './participants.ts';
import { advance, waitForVaultStatus, createVault } from './vault-requests.ts';

const WEEK = 7 * 86_400;

const stackOfFile = fileStack();

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
  const { rows } = await stack.sql.query<{ status: string; reason: string }>(
    'select status, release_reason as reason from assets where vault_id = $1',
    [vaultId],
  );
  expect(rows).toEqual(Array(2).fill({ status: 'RELEASED', reason: 'refunded' }));
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
  expect(late).toMatchObject({ status: 400, body: { error: { code: 'VAULT_ALREADY_ENDED' } } });

  const vault = await waitForVaultStatus(stack, vaultId, 'TERMINATED');
  expect(vault.termination.reason).toBe('cancelled');
  const after = await holdings(stack, owner.address);
  expect(after.get(policyId + Buffer.from('Boat').toString('hex'))).toBe(1n);
  await expectOnlyFeesMissing(stack, owner, before, 1_000_000n);
});

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
