/** The baseline for group commit: the service's own routes and rows, with one database transaction per vote. Input: JSON. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defaultImage } from '../src/cardano/tokens/picture.ts';
import { sql } from 'kysely';
import type { Anchors, AnchoringContext } from '../src/anchoring/anchors.ts';
import { createAnchors } from '../src/anchoring/group-commit.ts';
import { type AnchorPayload, createBatchPaths } from '../src/anchoring/facts.ts';
import { batchLeaves } from '../src/anchoring/queries/anchor-batches.ts';
import { createEncryption } from '../src/platform/database/encryption.ts';
import { createMicroCache } from '../src/platform/http/micro-cache.ts';
import { createAuthenticator } from '../src/access/authentication.ts';
import { blake2b256 } from '../src/cardano/blake2b.ts';
import { createNetworkStateCache } from '../src/cardano/ledger/network-state.ts';
import { createLedger } from '../src/cardano/ledger/ledger.ts';
import { createPriceSource } from '../src/cardano/price-source.ts';
import { canonicalJson, leafOf } from '../src/anchoring/rules/merkle.ts';
import { wallClock, defaultDurationBounds } from '../src/platform/units/time.ts';
import { createIds } from '../src/platform/units/ids.ts';
import { lovelace } from '../src/platform/units/money.ts';
import { apiReleases } from '../src/versions/rules.ts';
import { createApp } from '../src/platform/http/app.ts';
import { clientAddresses } from '../src/platform/http/client-address.ts';
import type { ApiContext } from '../src/api-context.ts';
import { createVoteBatcher } from '../src/votes/routes/vote-batcher.ts';
import { apiRoutes } from '../src/routes.ts';
import { openLive } from '../src/events/live/open-live.ts';
import { startServer } from '../src/platform/http/server.ts';
import { createLogger } from '../src/platform/observability/logger.ts';
import { openDatabase, type Transaction } from '../src/platform/database/database.ts';
import type { UnreadableRow } from '../src/platform/database/decode-rows.ts';
import { createUnitOfWork, offsetClock, type UnitOfWork } from '../src/platform/database/unit-of-work.ts';

export interface OneByOneInput {
  readonly databaseUrl: string;
  readonly ledgerUrl: string;
  readonly connections: number;
  /** Whether its facts are anchored at all. */
  readonly anchored: boolean;
}

const { databaseUrl, ledgerUrl, connections, anchored } = JSON.parse(readFileSync(0, 'utf8')) as OneByOneInput;
/** Of the embedded stack. */
const INTERVAL_MS = 100;
const logger = createLogger({ service: 'one-by-one', level: 'warn' });
const onUnreadable = (row: UnreadableRow) => {
  throw row;
};
const db = openDatabase(
  databaseUrl,
  (error) => {
    logger.warn({ error }, 'a database connection was lost while idle');
  },
  connections,
);
await sql`create table if not exists bench_facts (like anchor_facts including all)`.execute(db);
await sql`alter table bench_facts alter column batch_id drop not null, alter column position drop not null`.execute(db);
const clock = offsetClock(wallClock);
const ids = createIds({ clock: wallClock, random: randomBytes });
const unitOfWork = createUnitOfWork(db, clock, ids);
const ledger = createLedger({ baseUrl: ledgerUrl, timeoutMs: 10_000 });
const networkState = createNetworkStateCache({ ledger, networkId: 0 });
const anchors = oneByOne(unitOfWork, anchored ? afterwards() : () => undefined);
const authenticator = createAuthenticator({
  db,
  clock: wallClock,
  environment: 'development',
  defaultWalletRoles: [],
});
const context: ApiContext = {
  db,
  books: db,
  authenticator,
  live: await openLive({
    databaseUrl,
    authenticator,
    logger,
    onUnreadable,
    microCache: createMicroCache({ lifetimeMs: 0 }),
  }),
  wallClock,
  ids,
  logger,
  unitOfWork,
  readingTime: () => Promise.resolve(clock.now()),
  ledger,
  networkState,
  priceSource: createPriceSource({ feedUrl: ledgerUrl }),
  outboxRelay: { deliver: () => undefined },
  anchors,
  batchPaths: createBatchPaths((batchId) => batchLeaves(db, batchId)),
  voteBatcher: createVoteBatcher({ db, clock, anchors, onUnreadable, anchoredActionsPerDay: 1e9 }),
  encryption: createEncryption({ current: randomBytes(32) }),
  networkId: 0,
  durationBounds: defaultDurationBounds,
  operatorDeposits: false,
  lpMinimum: lovelace(0n),
  tokenMetadata: { image: defaultImage },
  onUnreadable,
  readiness: () => Promise.resolve({}),
  releases: apiReleases,
  environment: 'bench',
  anchoredActionsPerDay: 1e9,
  publicOrigin: 'https://bench.example',
};
const unlimited = { perCaller: 1e9, perAdmin: 1e9, windowSeconds: 900 };
const app = createApp(context, apiRoutes, {
  addressOf: clientAddresses(0),
  corsOrigins: [],
  rpcOrigin: new URL(ledgerUrl).origin,
  limits: unlimited,
});
const { url } = await startServer(app, { host: '127.0.0.1', port: 0 });
process.stdout.write(`${url}\n`);

/**
 * Runs every write in its own transaction and anchors its facts afterwards, so that no response can name its anchor: alone in it,
 * a vote would wait for the anchor of the vote before it. That favours this baseline.
 */
function oneByOne(write: UnitOfWork, anchorLater: (fact: AnchorPayload) => void): Anchors {
  const record = async <Result>(work: (context: AnchoringContext) => Promise<Result>) => {
    const recorded: AnchorPayload[] = [];
    const result = await write((context) =>
      work({
        ...context,
        anchor: (...facts) => {
          recorded.push(...facts);
          return storeFacts(context.tx, facts);
        },
      }),
    );
    for (const fact of recorded) anchorLater(fact);
    return result;
  };
  return {
    record,
    group: (writeAll) => (item) =>
      record(async (work) => {
        const [result] = await writeAll(work, [item]);
        if (result === undefined) throw new RangeError('a result for every item is expected');
        if (result instanceof Error) throw result;
        return result;
      }),
    cost: () => ({ spentToday: lovelace(0n), dailyBudget: lovelace(0n), intervalMs: 0, maxIntervalMs: 0 }),
    close: () => Promise.resolve(),
  };
}

/** Anchors facts as the service does, as often and in an anchor chain of its own, without what belongs to the vote. */
function afterwards(): (fact: AnchorPayload) => void {
  const batches = createAnchors({
    db,
    unitOfWork,
    ids,
    ledger,
    networkState,
    pace: { minIntervalMs: INTERVAL_MS, maxIntervalMs: INTERVAL_MS, dailyBudget: lovelace(0n) },
    // The worker delivers what is in the outbox.
    outboxRelay: { deliver: () => undefined },
    onDelay: (error) => {
      logger.warn({ error }, 'the ledger could not be reached');
    },
    onUnreadable: (error) => {
      throw error;
    },
  });
  const add = batches.group(async (context, facts: readonly AnchorPayload[]) => {
    await context.anchor(...facts);
    return facts.map(() => null);
  });
  return (fact) => void add(fact);
}

/** Stores facts with their leaves; returns a hash of the usual length. */
async function storeFacts(tx: Transaction, facts: readonly AnchorPayload[]): Promise<string> {
  for (const { factId, vaultId, fact } of facts) {
    const text = canonicalJson(fact);
    const leaf = leafOf(blake2b256, text);
    await sql`insert into bench_facts (id, vault_id, fact, leaf) values (${factId}, ${vaultId}, ${text}, ${leaf})`.execute(
      tx,
    );
  }
  return '0'.repeat(64);
}
