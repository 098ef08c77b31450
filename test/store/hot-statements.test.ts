import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { wallClock, secondsAfter } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { depositKinds } from '../../src/transactions/rules.ts';
import { lockAssetsAddedBy } from '../../src/assets/queries/assets.ts';
import {
  type ChainTransaction,
  readTransaction,
  type TransactionRow,
  transactionsById,
} from '../../src/transactions/queries/transactions.ts';
import {
  directSubmissions,
  findTransactionsToExpire,
  lockTransactionsToFinalize,
  lockTransactionsOfBlock,
  lockTransactionsAbove,
  unseenTransactions,
} from '../../src/ledger-follower/queries/followed-transactions.ts';
import type { StateChange } from '../../src/transactions/queries/changes.ts';
import { revertLiquidation } from '../../src/vaults/queries/vault-changes.ts';
import { liveLeaves } from '../../src/proposals/queries/proposal-votes.ts';
import type { TransactionContext } from '../../src/platform/database/unit-of-work.ts';
import { lockStakesUsedInProposal } from '../../src/votes/queries/voting-powers.ts';
import { moveTransaction } from '../../src/ledger-follower/effects.ts';
import { markPresent, setReturning } from '../../src/ledger-follower/queries/unsolicited.ts';
import { isAnyOpen } from '../../src/transactions/queries/listed-transactions.ts';
import { deleteSentMessages } from '../../src/platform/temporal/workflow-outbox.ts';
import { voteBody, lockedVault, propose } from '../governance/staked-vault.ts';
import { type DepositAnswer, readUnsigned } from '../vault-lifecycle/participants.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { scansOf } from './plan-scans.ts';
import { recordStatements, type Statement } from './recorded-statements.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

const ids = createIds({ clock: wallClock, random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) });

interface Signable {
  readonly hash: string;
  readonly unsignedTx: string;
}

test('frequent statements never scan a growing table, and every listed index is needed', async () => {
  await using service = await apiService();
  using recorded = recordStatements();
  await deposit(service);
  const voteId = await vote(service);
  expect((await service.api.get(`/anchors/${voteId}/proof`)).status).toBe(200);
  await follow(service);
  await keep(service);

  const statements: Statement[] = recorded.statements();
  expect(await scansOf(service.sql, statements)).toEqual([]);
  for (const index of [
    'assets_by_addition',
    'assets_by_removal',
    'investments_by_transaction',
    'anchor_attempts_by_batch',
    // By state alone, all final transactions are read.
    'chain_transactions_by_block, chain_transactions_by_state',
    'chain_transactions_by_signer',
    'executions_by_vault',
    'workflow_notices_sent',
  ]) {
    expect({ index, scans: await scansOf(service.sql, statements, index) }).not.toEqual({ index, scans: [] });
  }
});

/** An asset and an investment are confirmed, the asset is being returned, and a witness of another wallet is refused. */
async function deposit(service: ApiService): Promise<void> {
  const { api } = service;
  const owner = await service.fundedWallet({ Boat: '1' });
  const vaultId = await createVault({ api }, owner.address);
  const path = `/vaults/${vaultId}`;
  const asset = { policy_id: owner.policyId, asset_name: 'Boat', valuation_method: 'floor_price', metadata: {} };
  const added = await api.post<DepositAnswer>(`${path}/assets`, {
    ...asset,
    wallet_address: owner.address,
  });
  const sign = async (wallet: typeof owner, { hash, unsignedTx: unsigned }: Signable) =>
    (await api.post(`/transactions/${hash}/witnesses`, { witnessSet: wallet.sign(unsigned) })).status;
  const investor = await service.fundedWallet();
  const invested = await api.post<{ data: { transaction: Signable } }>(`${path}/investments`, {
    walletAddress: investor.address,
    lovelace: 5_000_000,
  });
  expect(await sign(owner, invested.body.data.transaction)).toBe(400);
  expect(await sign(investor, invested.body.data.transaction)).toBe(200);
  expect(await sign(owner, readUnsigned(added.body.transaction))).toBe(200);
  await moveAll(service, land);
  expect((await api.get(path)).status).toBe(200);
  expect(await isAnyOpen(service.db, vaultId, depositKinds)).toBe(true);
  expect((await api.del(`${path}/assets/${added.body.asset_id}`)).status).toBe(200);
}

async function vote(service: ApiService): Promise<string> {
  const { vaultId, voters, proposer } = await lockedVault(service, [60_000, 20_000]);
  const proposalId = await propose(service, vaultId, proposer);
  const cast = await service.api.post<{ vote_id: string }>(
    `/proposals/${proposalId}/votes`,
    voteBody(voters[1] ?? '', 10, 'yes'),
  );
  expect(cast.status).toBe(200);
  await liveLeaves(service.db, proposalId);
  await service.db.transaction().execute((tx) => lockStakesUsedInProposal(tx, proposalId));
  return cast.body.vote_id;
}

type Move = (context: TransactionContext) => Promise<readonly [readonly ChainTransaction[], StateChange]>;
const readAll = (rows: readonly TransactionRow[]) => rows.map(readTransaction);

const inBlock = { height: 7, hash: 'b'.repeat(64) };
const land: Move = async ({ tx }) => {
  const query = tx
    .selectFrom('chain_transactions')
    .select('hash')
    .where('state', 'in', ['awaiting_signatures', 'pending']);
  const hashes = (await query.execute()).map(({ hash }) => hash);
  return [readAll(await lockTransactionsOfBlock(tx, hashes)), { to: 'confirmed', block: inBlock }];
};
const settle: Move = async ({ tx }) => [readAll(await lockTransactionsToFinalize(tx, inBlock.height)), { to: 'final' }];
const rollBack: Move = async ({ tx }) => [
  readAll(await lockTransactionsAbove(tx, inBlock.height - 1)),
  { to: 'submitted', direction: 'rollback', block: null, reason: 'gone' },
];
const expire: Move = async ({ tx }) => {
  const ids = (await findTransactionsToExpire(tx, 2 ** 40, 200)).map(({ id }) => id);
  return [[...(await transactionsById(tx, ids)).values()], { to: 'expired', reason: 'late' }];
};

/** Changes transactions as the follower does when it reads a block. */
async function moveAll({ db }: ApiService, move: Move): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const context = { tx, ids, now: wallClock.now() };
    const [found, change] = await move(context);
    expect(found).not.toEqual([]);
    for (const transaction of found) await moveTransaction(context, transaction, change);
  });
}

/** Every transaction is confirmed, becomes final, is rolled back and is lost. */
async function follow(service: ApiService): Promise<void> {
  for (const move of [land, settle, rollBack, expire]) await moveAll(service, move);
  await directSubmissions(service.db);
  const now = secondsAfter(wallClock.now(), 1);
  await unseenTransactions(service.db, now, { limit: 20, now });
}

/** The queries of the sweep, of the scan for unsolicited outputs and of executions. */
async function keep({ db }: ApiService): Promise<void> {
  const id = randomUUID();
  const outputs = [{ txHash: 'a'.repeat(64), index: 0 }];
  await deleteSentMessages(db);
  await db.transaction().execute(async (tx) => {
    await lockAssetsAddedBy(tx, id);
    const context = { tx, ids: { next: randomUUID }, now: wallClock.now() };
    await revertLiquidation(context, { id, vaultId: id });
    await setReturning(tx, outputs, id);
    await markPresent(context, { vaultId: id, addresses: ['addr_test1'] }, outputs);
  });
}
