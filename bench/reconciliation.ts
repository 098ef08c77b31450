import { randomBytes } from 'node:crypto';
import { createLedger } from '../src/cardano/ledger/ledger.ts';
import { wallClock } from '../src/platform/units/time.ts';
import { createIds } from '../src/platform/units/ids.ts';
import { startReconciliation, reconcileNextVaults, snapshotOf } from '../src/books/reconciliation.ts';
import { nextPlannedVaults, endReconciliation } from '../src/books/queries/reconciliations.ts';
import type { Db } from '../src/platform/database/database.ts';
import { createUnitOfWork, offsetClock } from '../src/platform/database/unit-of-work.ts';
import type { BenchStack } from './stack.ts';

/** Something has happened to one of so many vaults since the last reconciliation. */
const VAULTS_PER_CHANGE = 500;
const PAGE = 20;
const ON_THE_TESTNET = 0;

/**
 * Leaves what a service has that reconciles every hour: each vault that continues was compared within the last 25 hours, the last report began
 * an hour ago, and since then something has happened to a few vaults.
 */
export async function addComparisons({ sql }: BenchStack, count: number): Promise<void> {
  const now = `(select now() + offset_ms * interval '1 ms' from clock_offset)`;
  await sql.query(
    `insert into vault_comparisons
       select id, ${now} - row_number() over (order by id) % 1500 * interval '1 minute' from vaults where status = 'LOCKED'
     on conflict (vault_id) do update set compared_at = excluded.compared_at`,
  );
  await sql.query(
    `insert into reconciliations (id, started_by, started_at, ended_at)
       select gen_random_uuid(), 'schedule', at, at + interval '10 minutes' from (select ${now} - interval '1 hour') as past (at)`,
  );
  await sql.query(
    `update chain_transactions set updated_at = ${now} - interval '10 minutes' where kind = 'mint' and vault_id in
       (select id from vaults where status = 'LOCKED' order by id limit $1)`,
    [Math.ceil(count / VAULTS_PER_CHANGE)],
  );
  await sql.query('analyze vault_comparisons');
}

/** The parts of the hourly reconciliation, in their order: its plan, a page of it, the comparison of one vault, and its end. */
export function reconciliationJobs(stack: BenchStack) {
  let id = '';
  return {
    plan: async (db: Db): Promise<string> => {
      id = await startReconciliation(await contextOf(stack, db), 'schedule');
      const { rows } = await stack.sql.query<{ due: number; watched: number }>(
        `select (select count(*)::int from reconciliation_vaults where reconciliation_id = $1) as due,
           (select count(*)::int from vault_comparisons) as watched`,
        [id],
      );
      return `${rows[0]?.due ?? 0} of ${rows[0]?.watched ?? 0}`;
    },
    page: async (db: Db): Promise<string> => {
      const { unitOfWork } = await contextOf(stack, db);
      const page = await unitOfWork((transaction) => nextPlannedVaults(transaction, id, PAGE));
      return String(page.length);
    },
    /** A copy is no longer on the ledger, so it differs and is compared twice; the time for the next block in between is left out. */
    compareOne: async (db: Db): Promise<string> => {
      await reconcileNextVaults(await contextOf(stack, db), id, () => true);
      const { rows } = await stack.sql.query<{ vaults: number }>('select vaults from reconciliations where id = $1', [
        id,
      ]);
      if (rows[0]?.vaults !== 1) throw new Error(`${rows[0]?.vaults ?? 0} vaults were compared`);
      return '1';
    },
    end: async (db: Db): Promise<string> => {
      const { unitOfWork } = await contextOf(stack, db);
      await unitOfWork((transaction) => endReconciliation(transaction, id));
      return '';
    },
  };
}

async function contextOf({ ledgerUrl }: BenchStack, db: Db) {
  const clock = offsetClock(wallClock);
  await clock.refresh(db);
  return {
    db,
    unitOfWork: createUnitOfWork(db, clock, createIds({ clock: wallClock, random: randomBytes })),
    snapshot: snapshotOf(db),
    ledger: createLedger({ baseUrl: ledgerUrl, timeoutMs: 10_000 }),
    networkId: ON_THE_TESTNET,
    pause: () => Promise.resolve(),
    onNotCompared(_: string, error: unknown) {
      throw error;
    },
  } as const;
}
