import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { sql } from 'kysely';
import { createLedger, type Ledger } from '../../src/cardano/ledger/ledger.ts';
import type { Block } from '../../src/cardano/ledger/responses.ts';
import { secondsAfter } from '../../src/platform/units/time.ts';
import { recordMove } from '../../src/ledger-follower/effects.ts';
import { recordBlocks } from '../../src/ledger-follower/record-blocks.ts';
import { rollBack } from '../../src/ledger-follower/follow-ledger.ts';
import { blocksUpTo, type FollowedBlock, lockTip } from '../../src/ledger-follower/queries/blocks.ts';
import { openDatabase, type Transaction } from '../../src/platform/database/database.ts';
import { lockTransaction } from '../../src/transactions/queries/transactions.ts';
import type { TransactionContext } from '../../src/platform/database/unit-of-work.ts';
import type { EventType } from '../../src/events/queries/event-types.ts';
import { keepPublished, type PublishedEvent } from '../stack/published-events.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { inUndone } from '../store/in-undone.ts';
import type { WorkerContext } from '../../src/worker-context.ts';

const FINAL = 15;
/** What the blocks of the fork are called. */
const OTHER = 'other';

/** Rows that are not as a transaction in no block leaves them, by what they are; `$1` are the ids of such transactions. */
const effects = (ids: readonly string[]) => sql<{ left: string }>`
  with undone as (select * from chain_transactions where id = any(${ids}::uuid[])),
    paid as (select d.deposit_id, u.kind from transaction_deposits d join undone u on u.id = d.transaction_id)
  select u.kind || ' ' || u.state as left from undone u where state <> 'submitted' or block_height is not null
  union all select 'asset ' || a.status from assets a join undone u on u.id = a.add_transaction_id where a.status = 'LOCKED'
  union all select 'asset ' || a.status from assets a join undone u on u.id = a.remove_transaction_id where a.status = 'RELEASED'
  union all select 'asset ' || a.status || ' by ' || p.kind from assets a join paid p on p.deposit_id = a.id where a.status <> 'LOCKED'
  union all select 'investment ' || i.status from investments i join undone u on u.id = i.transaction_id where i.status <> 'PENDING'
  union all select 'investment ' || i.status from investments i join undone u on u.id = i.remove_transaction_id where i.status <> 'CONFIRMED'
  union all select 'investment ' || i.status || ' by ' || p.kind from investments i join paid p on p.deposit_id = i.id where i.status <> 'CONFIRMED'
  union all select 'final stake' from stakes s join undone u on u.id = s.stake_transaction_id where s.final_at is not null
  union all select 'stake ' || s.status from stakes s join undone u on u.id = s.unstake_transaction_id where s.status = 'RELEASED'
  union all select 'claim ' || c.status from claims c join undone u on u.id = c.claim_transaction_id where c.status <> 'PENDING'
  union all select 'execution ' || e.status || ' of a proposal ' || p.status
    from executions e join undone u on u.id = e.transaction_id join proposals p on p.id = e.proposal_id
    where e.status <> 'SENT' or p.status <> 'PASSED'
  union all select 'sold asset' from executions e join undone u on u.id = e.transaction_id
    join assets a on a.id = any(e.asset_ids) where a.status <> 'LOCKED'
  union all select 'created vault' from vaults v join undone u on u.vault_id = v.id
    where u.kind = 'create_vault' and v.creation_confirmed_at is not null
  union all select 'vault ' || v.status from vaults v join undone u on u.vault_id = v.id
    where u.kind in ('mint', 'deliver', 'liquidity') and v.status <> 'ACTIVE'
  union all select 'returned gift' from unsolicited_outputs o join undone u on u.id = o.return_transaction_id
    where o.returned_at is not null
  union all select 'anchor' from anchor_batches b join undone u on u.id = b.transaction_id where b.confirmed`;

const tables = [
  'anchor_batches',
  'assets',
  'chain_transactions',
  'claims',
  'executions',
  'holds',
  'investments',
  'proposals',
  'quarantine',
  'stakes',
  'terminations',
  'unsolicited_outputs',
  'utxo_leases',
  'vaults',
  'votes',
] as const;

/** Every row of what transactions change, without when it was changed. */
async function rowsOf(tx: Transaction): Promise<Record<string, unknown>> {
  const rows: Record<string, unknown> = {};
  for (const table of tables) {
    const { rows: found } = await sql<{ all: unknown }>`
      select coalesce(jsonb_agg(one order by one::text), '[]') as all
        from (select to_jsonb(t) - 'updated_at' as one from ${sql.table(table)} t) as o`.execute(tx);
    rows[table] = found[0]?.all;
  }
  return rows;
}

/** A final LIQUIDATE decides the end, which a rollback alone does not take back: it is sent again. */
function withoutDecision(rows: Record<string, unknown>): Record<string, unknown> {
  const vaults = JSON.stringify(rows['vaults']).replace(/"failed_because": ?"liquidated"/g, '"failed_because":null');
  return { ...rows, terminations: null, vaults: JSON.parse(vaults) as unknown };
}

/**
 * Rolls back each block that has one of these transactions when it is 1 to 15 blocks deep, in a Postgres transaction that is undone
 * itself. Fails unless nothing is left of what the transactions in it did, at each depth, and unless they can then fail for good, as when
 * a fork has spent their inputs. Whatever is above is undone first.
 */
export async function expectUndoneAtEachDepth(stack: TestStack, hashes: readonly string[]): Promise<void> {
  const rows = await stack.sql.run<{ height: number }>`select distinct block_height::int as height
      from chain_transactions where hash = any(${hashes}) and block_height is not null`;
  expect(rows).not.toEqual([]);
  const db = openDatabase(stack.databaseUrl, () => undefined, 1);
  try {
    for (const { height } of rows) await inUndone(db, (tx) => undoBlock(stack, tx, height));
  } finally {
    await db.destroy();
  }
}

async function undoBlock(stack: TestStack, tx: Transaction, height: number): Promise<void> {
  // The follower waits until this is undone.
  await lockTip(tx, null);
  const followed = await blocksUpTo(tx, Number.MAX_SAFE_INTEGER);
  const [below, block] = [height - 1, height].map((wanted) => followed.find((one) => one.height === wanted));
  const tip = followed.at(-1);
  if (!below || !block || !tip) throw new Error(`block ${height} was not followed`);
  const { rows } = await sql<{ id: string; hash: string }>`
    select id, hash from chain_transactions where block_height = ${height} order by created_at`.execute(tx);
  const ids = rows.map(({ id }) => id);
  const ledger = forkedLedger(stack, { below, tip, inBlock: rows.map(({ hash }) => hash), block });
  const work: TransactionContext = { tx, ids: { next: randomUUID }, now: tip.time };
  const fail = (...what: unknown[]): never => {
    throw new Error(`not to be called: ${JSON.stringify(what)} ${String(what.at(-1))}`);
  };
  const context = {
    ...{ db: tx, unitOfWork: <Result>(act: (within: TransactionContext) => Promise<Result>) => act(work), ledger },
    ...{
      maxRollback: 2160,
      confirmationDepth: FINAL,
      onQuarantine: fail,
      onLedgerHold: fail,
      onUnknownSupply: fail,
      onUnrecorded: fail,
      onSignatureRefused: fail,
      networkId: 0 as const,
    },
  } as unknown as WorkerContext;
  await rollBack(context, tip);
  // What is below becomes final, so that it is as it is above a block.
  const empty = blocksFrom({ ...block, hash: 'empty' }, below);
  await recordBlocks(context, below, empty);
  await rollBack(context, empty.at(-1) ?? below);
  const look = async () => {
    expect((await effects(ids).execute(tx)).rows).toEqual([]);
    const undone = await rowsOf(tx);
    await sql`savepoint undone`.execute(tx);
    for (const id of ids.toReversed()) {
      const transaction = await lockTransaction(tx, id);
      if (!transaction) throw new Error(`no transaction ${id}`);
      if (transaction.state === 'submitted')
        await recordMove(work, transaction, { to: 'failed', reason: 'spent' }, fail);
    }
    const failed = await rowsOf(tx);
    await expectEvents(tx, ids);
    await sql`rollback to savepoint undone`.execute(tx);
    return { undone: withoutDecision(undone), failed };
  };
  const expected = await look();
  let last: FollowedBlock = below;
  for (const [above, next] of blocksFrom(block, below).entries()) {
    await recordBlocks(context, last, [next]);
    last = next;
    const depth = above + 1;
    const { rows: states } = await sql<{ state: string }>`
      select distinct state from chain_transactions where id = any(${ids}::uuid[])`.execute(tx);
    expect([depth, states]).toEqual([depth, [{ state: depth < FINAL ? 'confirmed' : 'final' }]]);
    await sql`savepoint deep`.execute(tx);
    await rollBack(context, last);
    expect([depth, await look()]).toEqual([depth, expected]);
    await sql`rollback to savepoint deep`.execute(tx);
  }
}

/** What subscribers are told when a transaction of a kind is rolled back, and when it fails after that. */
const toldOf: Readonly<Record<string, readonly EventType[]>> = {
  create_vault: ['VAULT_CREATION_ROLLED_BACK'],
  add_asset: ['ASSET_ADD_ROLLED_BACK', 'ASSET_ADD_EXPIRED'],
  remove_asset: ['ASSET_REMOVE_ROLLED_BACK', 'ASSET_REMOVE_EXPIRED'],
  invest: ['INVESTMENT_ROLLED_BACK', 'INVESTMENT_EXPIRED'],
  remove_investment: ['INVESTMENT_REMOVE_ROLLED_BACK', 'INVESTMENT_REMOVE_EXPIRED'],
  deliver: ['DEPOSITS_DELIVERY_ROLLED_BACK'],
  refund: ['DEPOSITS_REFUND_ROLLED_BACK'],
  stake: ['STAKE_ROLLED_BACK', 'STAKE_EXPIRED'],
  unstake: ['STAKE_RETURN_ROLLED_BACK', 'STAKE_RETURN_EXPIRED'],
  claim: ['CLAIM_ROLLED_BACK', 'CLAIM_EXPIRED'],
  execute: ['EXECUTION_ROLLED_BACK', 'EXECUTION_FAILED'],
  hand_over: ['ASSETS_HAND_OVER_ROLLED_BACK'],
};

/** Types of which an event is kept: Postgres forgets what happens here. */
const kept = new Set<string>();

/** Expects the events of transactions that were rolled back and have failed, and keeps some for the end of the run. */
async function expectEvents(tx: Transaction, ids: readonly string[]): Promise<void> {
  const { rows: transactions } = await sql<{ kind: string; hash: string }>`
    select kind, hash from chain_transactions where id = any(${ids}::uuid[])`.execute(tx);
  const { rows: events } = await sql<PublishedEvent & { hash: string }>`
    select transaction_hash as hash, type, data from outbox where transaction_hash = any(${transactions.map(({ hash }) => hash)})
      and type = any(${Object.values(toldOf).flat()}::text[])`.execute(tx);
  for (const { kind, hash } of transactions) {
    const types = events.filter((event) => event.hash === hash).map(({ type }) => type);
    expect({ kind, hash, types }).toEqual({ kind, hash, types: expect.arrayContaining([...(toldOf[kind] ?? [])]) });
  }
  const others = events.filter(({ type }) => !kept.has(type));
  for (const { type } of others) kept.add(type);
  await keepPublished(others.map(({ type, data }) => ({ type, data })));
}

/** A block, and empty ones after it until it is final. */
function blocksFrom(block: FollowedBlock, below: FollowedBlock): Block[] {
  return Array.from({ length: FINAL }, (_, above) => {
    const hash = above === 0 ? block.hash : `${block.hash}+${above}`;
    const previousHash = above === 0 ? below.hash : above === 1 ? block.hash : `${block.hash}+${above - 1}`;
    // A slot of the embedded ledger takes a second.
    const made = { height: block.height + above, slot: block.slot + above, time: secondsAfter(block.time, above) };
    return { ...block, ...made, hash, previousHash, txCount: 0 };
  });
}

interface Parting {
  readonly below: FollowedBlock;
  readonly block: FollowedBlock;
  readonly tip: FollowedBlock;
  readonly inBlock: readonly string[];
}

/** The ledger of the stack with other blocks from one block on. */
function forkedLedger({ ledger: { url } }: TestStack, { below, block, tip, inBlock }: Parting): Ledger {
  const otherAt = (height: number): Block => {
    const previousHash = height === below.height + 1 ? below.hash : `${OTHER}${height - 1}`;
    return { ...tip, height, hash: `${OTHER}${height}`, previousHash, txCount: 0 };
  };
  const real = createLedger({ baseUrl: `${url}/api/v0`, timeoutMs: 5000 });
  return {
    ...real,
    latestBlock: () => Promise.resolve(otherAt(Math.max(tip.height, below.height + FINAL))),
    block: (height) => (Number(height) <= below.height ? real.block(height) : Promise.resolve(otherAt(Number(height)))),
    nextBlocks: (hash) => (hash === below.hash ? Promise.resolve([otherAt(below.height + 1)]) : real.nextBlocks(hash)),
    blockTransactions: ({ hash }) => Promise.resolve(hash === block.hash ? inBlock : []),
  };
}
