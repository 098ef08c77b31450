import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createProposalActivities } from '../../activities/proposals.ts';
import { wallClock } from '../../src/domain/units/clock.ts';
import { createIds } from '../../src/domain/units/ids.ts';
import { findTransactionByHash } from '../../src/store/chain-transactions.ts';
import type { StateChange } from '../../src/store/transaction-changes.ts';
import { moveTransaction } from '../../src/services/on-ledger/transactions.ts';
import { createUnitOfWork, offsetClock } from '../../src/store/unit-of-work.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { execute } from './execution-requests.ts';
import { type AssetNamed, type HoldingVault, holdingVault, listed, signedPurchase } from './vault-with-custody.ts';

const block = { height: 5, hash: '5'.repeat(64) };
const landed: StateChange = { to: 'confirmed', block };
const ids = createIds({ clock: wallClock, random: randomBytes });
const undone: StateChange = { to: 'submitted', direction: 'rollback', block: null };

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** What the ledger's follower does when it sees that of a transaction. */
async function becomes(hash: string, change: StateChange): Promise<void> {
  await service.db.transaction().execute(async (tx) => {
    const transaction = await findTransactionByHash(tx, hash);
    if (!transaction) throw new Error('the transaction is not recorded');
    await moveTransaction({ tx, ids, now: wallClock.now() }, transaction, change);
  });
}

/** The vault's asset of this name and how many places are taken. */
async function entered({ vaultId }: HoldingVault, { asset_name: name }: AssetNamed): Promise<string> {
  const { rows } = await service.sql.query<{ line: string }>(
    `select concat_ws(' ', (select concat_ws(' ', type, status) from assets where vault_id = v.id and asset_name = $2),
       counted_assets) as line from vaults v where id = $1`,
    [vaultId, Buffer.from(name).toString('hex')],
  );
  return rows[0]?.line ?? '';
}

async function sentPurchase() {
  const vault = await holdingVault(service);
  const purchase = await signedPurchase(service, vault, await service.fundedWallet());
  expect(await execute(service, purchase.id, purchase.body)).toMatchObject({ status: 200 });
  return { vault, ...purchase };
}

test('what a vault buys has its place from when it was sent until it can land no more, whatever the ledger does', async () => {
  const { vault, named, hash } = await sentPurchase();
  expect(await entered(vault, named)).toBe('1');
  await becomes(hash, landed);
  expect(await entered(vault, named)).toBe('NFT LOCKED 1');
  await becomes(hash, undone);
  expect(await entered(vault, named)).toBe('NFT PENDING 1');
  await becomes(hash, landed);
  expect(await entered(vault, named)).toBe('NFT LOCKED 1');
  await becomes(hash, undone);
  await becomes(hash, { to: 'failed', reason: 'spent elsewhere' });
  expect(await entered(vault, named)).toBe('NFT RELEASED 0');

  const other = await sentPurchase();
  await becomes(other.hash, { to: 'failed', reason: 'refused' });
  expect(await entered(other.vault, other.named)).toBe('0');
});

test('a proposal that was executed is over for its workflow, which then lets go of the stakes, only when that block is final', async () => {
  const { id: proposalId, hash } = await sentPurchase();
  const activities = createProposalActivities({
    db: service.db,
    unitOfWork: createUnitOfWork(service.db, offsetClock(wallClock), ids),
    onTransition: () => undefined,
  });
  const stage = () => activities.readStage({ proposalId });
  expect(await stage()).toMatchObject({ stage: 'passed' });
  await becomes(hash, landed);
  expect(await stage()).toEqual({ stage: 'executed' });
  await becomes(hash, undone);
  expect(await stage()).toMatchObject({ stage: 'passed' });
  await becomes(hash, landed);
  await becomes(hash, { to: 'final' });
  expect(await stage()).toEqual({ stage: 'ended', outcome: 'executed' });
});

test('a purchase that is rolled back, gives way and lands after all counts once', async () => {
  const { vault, named, hash } = await sentPurchase();
  await becomes(hash, landed);
  await becomes(hash, undone);
  // As the landing of another attempt with the same NFT does it.
  await service.sql.query(
    `update assets set status = 'RELEASED', release_reason = 'expired'
      where add_transaction_id = (select id from chain_transactions where hash = $1)`,
    [hash],
  );
  await service.sql.query('update vaults set counted_assets = counted_assets - 1 where id = $1', [vault.vaultId]);
  await becomes(hash, landed);
  expect(await entered(vault, named)).toBe('NFT LOCKED 1');
});

test('a purchase takes nothing from a vault that holds another of the same name by then', async () => {
  const { vault, named, hash } = await sentPurchase();
  const other = await holdingVault(service);
  await listed(service, other.vaultId, named);
  await becomes(hash, landed);
  expect(await entered(other, named)).toBe('NFT LOCKED 0');
  expect(await entered(vault, named)).toBe('CNT LOCKED 1');
});
