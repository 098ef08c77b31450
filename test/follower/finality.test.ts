import { expect, test } from '@jest/globals';
import { createNetworkStateCache } from '../../src/chain/ledger/network-state.ts';
import { wallClock } from '../../src/domain/units/clock.ts';
import { type TendedNews, tendTransactions } from '../../src/services/ledger/tend-transactions.ts';
import { up as addFinality } from '../../src/store/migrations/0057_finality.ts';
import { vaultWithTokens } from '../governance/vault-with-tokens.ts';
import { sendAllToSelf, submitDirectly } from '../vault-lifecycle/direct-submission.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { CONFIRMATION_DEPTH, followerOf } from './follower-service.ts';

interface StakeResponse {
  readonly data: { readonly transaction: { readonly hash: string; readonly unsignedTx: string } };
}
interface TransactionRead {
  readonly hash: string;
  readonly status: string;
  readonly blockHeight: number | null;
  readonly blockHash: string | null;
  readonly confirmations: number;
  readonly finality: string;
  readonly error: string | null;
  readonly conflict: unknown;
  readonly history: readonly { readonly status: string; readonly blockHash: string | null }[];
}

/** A stake that a wallet has sent to the ledger itself, in no block yet. */
async function sentStake(service: ApiService) {
  const wallet = newWallet();
  const vaultId = await vaultWithTokens(service, wallet);
  const staking = { walletAddress: wallet.address, amount: 100 };
  const { body } = await service.api.post<StakeResponse>(`/vaults/${vaultId}/stakes`, staking);
  const { hash, unsignedTx } = body.data.transaction;
  await submitDirectly(service, wallet, unsignedTx);
  return { hash, vaultId, wallet };
}

const read = async ({ api }: ApiService, hash: string) =>
  (await api.get<{ data: TransactionRead }>(`/transactions/${hash}`)).body.data;

const blockHashAt = async ({ ledger }: ApiService, height: number) =>
  (await ledger.query<{ hash: string }>(`/blocks/${height}`))?.hash;

test('every read of a transaction says how many confirmations it has, how final it is, and in which blocks it was', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  await service.ledger.mine(CONFIRMATION_DEPTH);
  await follower.catchUp();
  const { hash, vaultId } = await sentStake(service);
  /** What each read of the transaction says. */
  const reads = async () => {
    await follower.catchUp();
    const { confirmations, finality, blockHeight, blockHash } = await read(service, hash);
    const { body: list } = await service.api.get(`/transactions?vaultId=${vaultId}&kind=stake`);
    expect(list).toMatchObject({ data: { transactions: [{ hash, confirmations, finality, blockHeight, blockHash }] } });
    const { body: vault } = await service.api.get(`/vaults/${vaultId}?fields=transactions`);
    const shown = { confirmations: finality === 'final' ? null : confirmations };
    expect(vault).toMatchObject({
      data: {
        transactions: expect.arrayContaining([expect.objectContaining({ hash, ...shown, finality, blockHeight })]),
      },
    });
    expect(blockHash ?? undefined).toBe(blockHeight === null ? undefined : await blockHashAt(service, blockHeight));
    return [confirmations, finality];
  };
  expect(await reads()).toEqual([0, 'none']);
  const { height: first } = await service.ledger.mine();
  expect(await reads()).toEqual([1, 'low']);
  const { blockHash: lost } = await read(service, hash);
  await tend(service, follower, 'blocks');
  await service.ledger.rollbackFrom(first);
  expect(await reads()).toEqual([0, 'none']);

  await tend(service, follower, 'rollback');
  const { height } = await service.ledger.mine();
  for (const expected of [
    [1, 'low'],
    [2, 'medium'],
    [3, 'final'],
    [4, 'final'],
  ]) {
    expect(await reads()).toEqual(expected);
    await service.ledger.mine();
  }
  const [blockHash, finalBlock] = [await blockHashAt(service, height), { blockHeight: height }];
  expect((await read(service, hash)).history).toMatchObject([
    { status: 'awaiting_signatures', blockHash: null },
    { status: 'confirmed', blockHeight: first, blockHash: lost },
    { status: 'submitted', blockHeight: null, blockHash: null, reason: `block ${first} was rolled back` },
    { status: 'confirmed', ...finalBlock, blockHash },
    { status: 'final', ...finalBlock, blockHash },
  ]);

  // As before the migration: the block of a landing that was rolled back is not known any more.
  await service.sql.query('update chain_transaction_history set block_hash = null');
  await addFinality(service.db as never);
  const hashes = (await read(service, hash)).history.map((change) => change.blockHash);
  expect(hashes).toEqual([null, null, null, blockHash, blockHash]);
});

test('a transaction that a fork double-spends fails when that is final, and names the transaction and the block that did', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  await service.ledger.mine(CONFIRMATION_DEPTH);
  await follower.catchUp();
  const { hash, wallet } = await sentStake(service);
  const { height: landed } = await service.ledger.mine();
  await follower.catchUp();
  await tend(service, follower, 'blocks');

  await service.ledger.rollbackFrom(landed);
  const spentBy = await sendAllToSelf(service, wallet);
  const { height } = await service.ledger.mine();
  await follower.catchUp();
  await tend(service, follower, 'rollback');
  // The fork may be undone in its turn.
  expect(await read(service, hash)).toMatchObject({ status: 'submitted', conflict: null });

  await service.ledger.mine(CONFIRMATION_DEPTH - 1);
  await follower.catchUp();
  await tend(service, follower, 'rollback');
  const failed = await read(service, hash);
  expect(failed).toMatchObject({
    status: 'failed',
    finality: 'none',
    error: expect.stringContaining(spentBy),
    conflict: { spentBy, blockHeight: height, blockHash: await blockHashAt(service, height) },
  });
  const { rows } = await service.sql.query(
    `select s.status, (select count(*)::int from utxo_leases l where l.transaction_id = t.id) as leases
      from stakes s join chain_transactions t on t.id = s.stake_transaction_id where t.hash = $1`,
    [hash],
  );
  expect(rows).toEqual([{ status: 'RELEASED', leases: 0 }]);
});

/** Sends again what is in no block. */
function tend(service: ApiService, { context }: ReturnType<typeof followerOf>, news: TendedNews): Promise<void> {
  const networkState = createNetworkStateCache({ ledger: context.ledger, networkId: 0 });
  const readingTime = () => Promise.resolve(wallClock.now());
  const platform = { keys: service.keys, networkId: 0, blockMs: 1000, networkState, readingTime } as const;
  return tendTransactions({ ...context, ...platform }, news);
}
