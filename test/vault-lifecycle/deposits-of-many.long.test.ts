import { expect, test } from '@jest/globals';
import { fileStack } from '../stack/file-stack.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { submitDirectly } from './direct-submission.ts';
import { mineUntil } from './mine-until.ts';
import {
  fundWallet,
  holdings,
  invest,
  type Person,
  person,
  submitWitnesses,
  type UnsignedTransaction,
  waitForTransaction,
} from './participants.ts';
import { rollBackFrom } from './roll-back-transactions.ts';
import { advance, createVault, waitForVaultStatus } from './vault-requests.ts';

interface Deposit {
  readonly assets: readonly { readonly assetId: string; readonly assetNameHex: string }[];
  readonly transaction: UnsignedTransaction;
}

const stackOfFile = fileStack();
const confirmed = ['confirmed', 'final'];
const namesOf = (count: number) => Array.from({ length: count }, (_, number) => `Lot${100 + number}`);
const supplyOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 1]));
const unitOf = (policyId: string, name: string) => policyId + Buffer.from(name).toString('hex');

async function requestDeposit(
  { api }: Pick<TestStack, 'api'>,
  vaultId: string,
  owner: Person,
  assets: readonly { policyId: string; assetName: string }[],
): Promise<Deposit> {
  const { status, body } = await api.post<{ data: Deposit }>(`/vaults/${vaultId}/deposits`, {
    walletAddress: owner.address,
    assets,
  });
  if (status !== 201) throw new Error(`the deposit was not accepted: ${JSON.stringify(body)}`);
  return body.data;
}

/** How many assets of a vault have each status, and how many it counts. */
async function countsOf({ sql }: Pick<TestStack, 'sql'>, vaultId: string): Promise<Record<string, number>> {
  const { rows } = await sql.query<{ status: string; n: number }>(
    `select coalesce(status || ' ' || release_reason, status) as status, count(*)::int as n from assets
      where vault_id = $1 group by 1
     union all select 'counted', counted_assets from vaults where id = $1`,
    [vaultId],
  );
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

test('40 assets come in with one signature, one of them leaves alone, and the vault settles with the others', async () => {
  const stack = stackOfFile();
  const [owner, investor] = [person(601), person(602)];
  const vaultId = await createVault(stack, owner.address, { asset: { max_assets: 100 } });
  const names = namesOf(40);
  const policyId = await fundWallet(stack, owner, { ada: 500, assets: supplyOf(names) });
  await fundWallet(stack, investor, { ada: 50_000 });
  await stack.ledger.setPrice({ policyId, lovelace: '1000000000' });
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');

  const listed = names.map((assetName) => ({ policyId, assetName }));
  const { assets, transaction } = await requestDeposit(stack, vaultId, owner, listed);
  const hash = await submitWitnesses(stack, owner, transaction);
  await waitForTransaction(stack, hash, ['final']);
  expect(await countsOf(stack, vaultId)).toEqual({ LOCKED: 40, counted: 40 });

  const leaving = assets[17];
  const removal = await stack.api.del<{ data: { transactionHash: string } }>(
    `/vaults/${vaultId}/assets/${leaving?.assetId ?? ''}`,
  );
  expect(removal.status).toBe(200);
  await waitForTransaction(stack, removal.body.data.transactionHash, confirmed);
  expect((await holdings(stack, owner.address)).get(policyId + (leaving?.assetNameHex ?? ''))).toBe(1n);
  expect(await countsOf(stack, vaultId)).toEqual({ LOCKED: 39, 'RELEASED removed': 1, counted: 39 });

  const invested = await invest(stack, vaultId, investor, 30_000_000_000);
  await waitForTransaction(stack, invested.hash, confirmed);
  await advance(stack, 7 * 86_400);
  const { contractAddress } = await waitForVaultStatus(stack, vaultId, 'LOCKED');
  const custody = await holdings(stack, contractAddress);
  const inCustody = names.filter((name) => custody.get(unitOf(policyId, name)) === 1n);
  expect(inCustody).toEqual(names.filter((_, position) => position !== 17));
});

test('a deposit of several is PENDING while its block is undone, and counts when it is confirmed although it was given up', async () => {
  await using stack = await testStack({ blockMs: 0 });
  const owner = person(603);
  const vaultId = await createVault(stack, owner.address);
  const [kept, late, unsigned] = [namesOf(3), ['Late1', 'Late2'], ['Never1', 'Never2']];
  const policyId = await mineUntil(stack, fundWallet(stack, owner, { ada: 100, assets: supplyOf(kept) }));
  const others = await mineUntil(stack, fundWallet(stack, owner, { ada: 100, assets: supplyOf(late) }));
  const unused = await mineUntil(stack, fundWallet(stack, owner, { ada: 100, assets: supplyOf(unsigned) }));
  await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'ACTIVE'));
  const listed = (policy: string, names: readonly string[]) =>
    names.map((assetName) => ({ policyId: policy, assetName }));

  const deposit = await requestDeposit(stack, vaultId, owner, listed(policyId, kept));
  const hash = await submitWitnesses(stack, owner, deposit.transaction);
  await mineUntil(stack, waitForTransaction(stack, hash, confirmed));
  expect(await countsOf(stack, vaultId)).toEqual({ LOCKED: 3, counted: 3 });
  await rollBackFrom(stack, [hash]);
  const sentAgain = waitForTransaction(stack, hash, confirmed);
  await mineUntil(stack, sentAgain);
  expect(await countsOf(stack, vaultId)).toEqual({ LOCKED: 3, counted: 3 });

  const withdrawn = await requestDeposit(stack, vaultId, owner, listed(others, late));
  await requestDeposit(stack, vaultId, owner, listed(unused, unsigned));
  expect((await stack.api.del(`/transactions/${withdrawn.transaction.hash}`)).status).toBe(200);
  await submitDirectly(stack, owner, withdrawn.transaction.unsignedTx);
  await mineUntil(stack, waitForTransaction(stack, withdrawn.transaction.hash, confirmed));
  expect(await countsOf(stack, vaultId)).toEqual({ LOCKED: 5, PENDING: 2, counted: 5 });

  await advance(stack, 2 * 3600);
  await mineUntil(
    stack,
    (async () => {
      const rows = await stack.sql.run<{ hash: string }>`select hash from chain_transactions t where exists (
           select from assets a where a.add_transaction_id = t.id and a.status = 'PENDING')`;
      for (const open of rows) await waitForTransaction(stack, open.hash, ['expired']);
    })(),
  );
  expect(await countsOf(stack, vaultId)).toEqual({ LOCKED: 5, 'RELEASED expired': 2, counted: 5 });
});
