import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createProposalActivities } from '../../activities/proposals.ts';
import { wallClock } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { findTransactionByHash } from '../../src/transactions/queries/transactions.ts';
import type { StateChange } from '../../src/transactions/queries/changes.ts';
import { moveTransaction } from '../../src/ledger-follower/effects.ts';
import { createUnitOfWork, offsetClock } from '../../src/platform/database/unit-of-work.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { execute } from './execution-requests.ts';
import {
  type AssetName,
  type VaultWithCustody,
  vaultWithCustody,
  recordHeldAsset,
  createSignedPurchase,
} from './vault-with-custody.ts';

const block = { height: 5, hash: '5'.repeat(64) };
const confirmed: StateChange = { to: 'confirmed', block };
const ids = createIds({ clock: wallClock, random: randomBytes });
const rolledBack: StateChange = { to: 'submitted', direction: 'rollback', block: null };

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** Changes the state of a transaction as the ledger follower does. */
async function changeState(hash: string, change: StateChange): Promise<void> {
  await service.db.transaction().execute(async (tx) => {
    const transaction = await findTransactionByHash(tx, hash);
    if (!transaction) throw new Error('the transaction is not recorded');
    await moveTransaction({ tx, ids, now: wallClock.now() }, transaction, change);
  });
}

/** Type and status of the vault's asset of this name, and how many asset places of the vault are taken. */
async function assetAndPlaces({ vaultId }: VaultWithCustody, { asset_name: name }: AssetName): Promise<string> {
  const rows = await service.sql.run<{ line: string }>`select concat_ws(' ', (select concat_ws(' ', type, status)
       from assets where vault_id = v.id and asset_name = ${Buffer.from(name).toString('hex')}),
       counted_assets) as line from vaults v where id = ${vaultId}`;
  return rows[0]?.line ?? '';
}

async function sendPurchase() {
  const vault = await vaultWithCustody(service);
  const purchase = await createSignedPurchase(service, vault, await service.fundedWallet());
  expect(await execute(service, purchase.id, purchase.body)).toMatchObject({ status: 200 });
  return { vault, ...purchase };
}

test('a purchased asset keeps its asset place from submission until its transaction can no longer be confirmed, through every rollback', async () => {
  const { vault, named, hash } = await sendPurchase();
  expect(await assetAndPlaces(vault, named)).toBe('1');
  await changeState(hash, confirmed);
  expect(await assetAndPlaces(vault, named)).toBe('NFT LOCKED 1');
  await changeState(hash, rolledBack);
  expect(await assetAndPlaces(vault, named)).toBe('NFT PENDING 1');
  await changeState(hash, confirmed);
  expect(await assetAndPlaces(vault, named)).toBe('NFT LOCKED 1');
  await changeState(hash, rolledBack);
  await changeState(hash, { to: 'failed', reason: 'spent elsewhere' });
  expect(await assetAndPlaces(vault, named)).toBe('NFT RELEASED 0');

  const other = await sendPurchase();
  await changeState(other.hash, { to: 'failed', reason: 'refused' });
  expect(await assetAndPlaces(other.vault, other.named)).toBe('0');
});

test('the workflow of an executed proposal ends, and releases the stakes, only when the execution is final', async () => {
  const { id: proposalId, hash } = await sendPurchase();
  const activities = createProposalActivities({
    db: service.db,
    unitOfWork: createUnitOfWork(service.db, offsetClock(wallClock), ids),
    onTransition: () => undefined,
  });
  const stage = () => activities.readStage({ proposalId });
  expect(await stage()).toMatchObject({ stage: 'passed' });
  await changeState(hash, confirmed);
  expect(await stage()).toEqual({ stage: 'executed' });
  await changeState(hash, rolledBack);
  expect(await stage()).toMatchObject({ stage: 'passed' });
  await changeState(hash, confirmed);
  await changeState(hash, { to: 'final' });
  expect(await stage()).toEqual({ stage: 'ended', outcome: 'executed' });
});

test('a purchase that is rolled back, superseded and then is confirmed after all is counted once', async () => {
  const { vault, named, hash } = await sendPurchase();
  await changeState(hash, confirmed);
  await changeState(hash, rolledBack);
  // Releases the asset as another confirmed transaction with the same NFT would.
  await service.sql.run`update assets set status = 'RELEASED', release_reason = 'expired'
      where add_transaction_id = (select id from chain_transactions where hash = ${hash})`;
  await service.sql.run`update vaults set counted_assets = counted_assets - 1 where id = ${vault.vaultId}`;
  await changeState(hash, confirmed);
  expect(await assetAndPlaces(vault, named)).toBe('NFT LOCKED 1');
});

test('a purchase of an asset that another vault holds under the same name by then leaves that vault’s asset unchanged', async () => {
  const { vault, named, hash } = await sendPurchase();
  const other = await vaultWithCustody(service);
  await recordHeldAsset(service, other.vaultId, named);
  await changeState(hash, confirmed);
  expect(await assetAndPlaces(other, named)).toBe('NFT LOCKED 0');
  expect(await assetAndPlaces(vault, named)).toBe('CNT LOCKED 1');
});
