import { randomBytes, randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { createPriceSource } from '../src/cardano/price-source.ts';
import { type Clock, wallClock, defaultDurationBounds, instant } from '../src/platform/units/time.ts';
import { createIds } from '../src/platform/units/ids.ts';
import { restartLostWorkflows } from '../src/operations/upkeep.ts';
import { refreshValuations } from '../src/prices/valuations.ts';
import { type Db, openDatabase } from '../src/platform/database/database.ts';
import { createUnitOfWork, offsetClock } from '../src/platform/database/unit-of-work.ts';
import type { RefreshPosition } from '../src/platform/temporal/activity-types.ts';
import { reconciliationJobs } from './reconciliation.ts';
import type { BenchStack } from './stack.ts';
import type { WorkerContext } from '../src/worker-context.ts';

/** A job; returns how far it has come when that is not the end. */
type Job = () => Promise<string>;

/** The service ends a part of a refresh after 120 s. */
const REFRESH_FASTER = 4;

/** The jobs in the order in which they are measured. */
export function jobsOf(stack: BenchStack, client: Client): readonly (readonly [string, Job])[] {
  const run = (workflow: string) => async () => {
    await client.workflow.execute(workflow, { taskQueue: 'vaults', workflowId: `bench-${randomUUID()}` });
    return '';
  };
  const withDatabase = (work: (db: Db) => Promise<string>) => async () => {
    const db = openDatabase(stack.databaseUrl, () => undefined, 10);
    try {
      return await work(db);
    } finally {
      await db.destroy();
    }
  };
  const reconciliation = reconciliationJobs(stack);
  return [
    ['sweep, with lost notices', run('sweep')],
    ['sweep', run('sweep')],
    ['unsolicitedScan', run('unsolicitedScan')],
    ['unsolicitedScan, the next part', run('unsolicitedScan')],
    ['lostWorkflows', withDatabase(findLostWorkflows)],
    ['reconciliation, which vaults are due', withDatabase(reconciliation.plan)],
    ['reconciliation, a page of its plan', withDatabase(reconciliation.page)],
    ['reconciliation, that page and one vault compared', withDatabase(reconciliation.compareOne)],
    ['reconciliation, its end', withDatabase(reconciliation.end)],
    ['valuationRefresh, prices, and valuations while there is time', withDatabase((db) => refreshPrices(stack, db))],
    ['every price changes', () => changePrices(stack)],
    ['valuationRefresh, valuations that changed', withDatabase((db) => refreshVaults(stack, db))],
    ['valuationRefresh, valuations that did not', withDatabase((db) => refreshVaults(stack, db))],
  ];
}

const types: Readonly<Record<string, string>> = {
  tx: 'transaction',
  anchor: 'anchorSubmitter',
  ledger: 'ledgerFollower',
};

class EveryWorkflow extends Map<string, string> {
  override get(workflowId: string): string {
    const kind = workflowId.replace(/-.*/, '');
    return types[kind] ?? kind;
  }
}

/** With a Temporal that runs what Postgres says: the one of the stack does not run that many. */
async function findLostWorkflows(db: Db): Promise<string> {
  const restarted = await restartLostWorkflows({
    db,
    runningWorkflows: {
      list: () => Promise.resolve(new EveryWorkflow()),
      endOf: () => Promise.resolve(null),
      terminate: () => Promise.resolve(),
      startLedgerFollower: () => Promise.resolve(),
    },
    unitOfWork: () => Promise.reject(new Error('no workflow is lost')),
    outboxRelay: { deliver: () => undefined, deliverAll: () => Promise.resolve(0), close: () => Promise.resolve() },
    onLostWorkflow: () => undefined,
  } as unknown as WorkerContext);
  if (restarted > 0) throw new Error(`${restarted} workflows were lost`);
  return '';
}

/** For 30 s at most, as the next one: a whole refresh may take its half hour. */
async function refreshPrices(stack: BenchStack, db: Db): Promise<string> {
  const { refreshed } = await refresh(stack, db, { step: 'prices', after: null });
  const { rows } = await stack.sql.query<{ count: number }>(
    `select count(*)::int from (select distinct policy_id, asset_name from assets
     where status in ('PENDING', 'LOCKED') and valuation_method <> 'custom') as priced`,
  );
  return `${refreshed} of ${rows[0]?.count ?? 0}`;
}

/** As a feed that has other prices, and as autovacuum, which the next jobs do not wait for. */
async function changePrices({ sql }: BenchStack): Promise<string> {
  const { rowCount } = await sql.query('update prices set lovelace = lovelace + 1000000');
  await sql.query('analyze prices');
  return String(rowCount ?? 0);
}

async function refreshVaults(stack: BenchStack, db: Db): Promise<string> {
  const { next } = await refresh(stack, db, { step: 'valuations', after: null });
  const done = next?.step === 'valuations' ? next.after : null;
  const { rows } = await stack.sql.query<{ done: number; count: number }>(
    `select count(*)::int, count(*) filter (where $1::uuid is null or id <= $1)::int as done from vaults where status <> 'TERMINATED'`,
    [done],
  );
  return `${rows[0]?.done ?? 0} of ${rows[0]?.count ?? 0}`;
}

async function refresh({ ledgerUrl }: BenchStack, db: Db, from: RefreshPosition) {
  const clock = offsetClock(wallClock);
  await clock.refresh(db);
  const ids = createIds({ clock: wallClock, random: randomBytes });
  const context = {
    db,
    unitOfWork: createUnitOfWork(db, clock, ids),
    readingTime: () => Promise.resolve(clock.now()),
    priceSource: createPriceSource({ feedUrl: ledgerUrl.replace(/\/api\/v0$/, '/prices'), timeoutMs: 10_000 }),
    durationBounds: defaultDurationBounds,
  };
  const began = wallClock.now();
  const fast: Clock = { now: () => instant(began + REFRESH_FASTER * (wallClock.now() - began)) };
  const part = await refreshValuations(context, from, fast);
  if (part.failures.length > 0) throw new AggregateError(part.failures, 'the refresh failed');
  return part;
}
