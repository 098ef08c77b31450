import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { createNetworkStateCache } from '../../src/cardano/ledger/network-state.ts';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import { type BlockNews, resubmitAndExpire } from '../../src/ledger-follower/resubmit-and-expire.ts';
import { readClockOffset } from '../../src/platform/database/unit-of-work.ts';
import type { ApiService } from '../vaults/api-service.ts';
import { CONFIRMATION_DEPTH, followerOf } from './follower-service.ts';

export interface TransactionRead {
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

export const readTransaction = async ({ api }: ApiService, hash: string) =>
  (await api.get<{ data: TransactionRead }>(`/transactions/${hash}`)).body.data;

export const blockHashAt = async ({ ledger }: ApiService, height: number) =>
  (await ledger.query<{ hash: string }>(`/blocks/${height}`))?.hash;

/** With what the worker builds and sends transactions. */
export function workerContextOf(service: Pick<ApiService, 'db' | 'ledger' | 'keys'>) {
  const { context } = followerOf(service);
  const networkState = createNetworkStateCache({ ledger: context.ledger, networkId: 0 });
  const readingTime = async () => instant(wallClock.now() + (await readClockOffset(service.db)));
  const platform = { keys: service.keys, networkId: 0, blockMs: 1000, networkState, readingTime } as const;
  return { ...context, ...platform, ids: { next: randomUUID }, tokenMetadata: { image: '', page: '' } };
}

/** Sends again what is in no block. */
export function resubmit(service: ApiService, news: BlockNews): Promise<void> {
  return resubmitAndExpire(workerContextOf(service), news);
}

interface DoubleSpend {
  /** Sends the transaction to the ledger, and returns its hash. */
  readonly send: () => Promise<string>;
  /** Sends another one that spends an input of it, and returns the other's hash. */
  readonly spend: () => Promise<string>;
  /** What the transaction has done while it is in a block. */
  readonly confirmed?: () => Promise<void>;
  /** Whether it waits until the fork cannot be undone any more; true unless given. */
  readonly waits?: boolean;
}

/**
 * A transaction is confirmed, and a fork has another one instead that spends an input of it. Fails unless the transaction waits while the fork may
 * be undone, and then fails with the evidence; returns its hash.
 */
export async function doubleSpend(
  service: ApiService,
  { send, spend, confirmed = () => Promise.resolve(), waits = true }: DoubleSpend,
): Promise<string> {
  const follower = followerOf(service);
  await service.ledger.mine(CONFIRMATION_DEPTH);
  await follower.catchUp();
  const hash = await send();
  const { height: first } = await service.ledger.mine();
  await follower.catchUp();
  await resubmit(service, 'blocks');
  expect(await readTransaction(service, hash)).toMatchObject({ status: 'confirmed', conflict: null });
  await confirmed();

  await service.ledger.rollbackFrom(first);
  const spentBy = await spend();
  const { height } = await service.ledger.mine();
  await follower.catchUp();
  await resubmit(service, 'rollback');
  // The fork may be undone in its turn.
  if (waits) expect(await readTransaction(service, hash)).toMatchObject({ status: 'submitted', conflict: null });

  await service.ledger.mine(CONFIRMATION_DEPTH - 1);
  await follower.catchUp();
  await resubmit(service, 'rollback');
  expect(await readTransaction(service, hash)).toMatchObject({
    status: 'failed',
    finality: 'none',
    error: expect.stringContaining(spentBy),
    conflict: { spentBy, blockHeight: height, blockHash: await blockHashAt(service, height) },
  });
  const rows = await service.sql.run`select 1 from utxo_leases l
      join chain_transactions t on t.id = l.transaction_id where t.hash = ${hash}`;
  expect(rows).toEqual([]);
  return hash;
}
