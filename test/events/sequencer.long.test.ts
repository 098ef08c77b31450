import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { wallClock } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { verifyAuditChain } from '../../src/access/audit.ts';
import { type Sequencer, sequenceBatch, startSequencer } from '../../src/events/sequencer.ts';
import { createLogger } from '../../src/platform/observability/logger.ts';
import { recordAudit } from '../../src/access/queries/audit-log.ts';
import { type Db, openDatabase, type Transaction } from '../../src/platform/database/database.ts';
import { eventInsert } from '../../src/events/queries/events.ts';
import { type TestDatabase, testDatabase } from '../stack/test-database.ts';
import { until } from '../stack/until.ts';

const ids = createIds({ clock: wallClock, random: randomBytes });
const logger = createLogger({ service: 'test', level: 'silent' });

test('with 8 writers, 3 sequencers and a kill, no event is lost, no number is skipped and the audit chain is intact', async () => {
  await using database = await testDatabase();
  await using store = open(database);
  const { db } = store;
  await using _sequencer = disposable(startSequencer({ db, logger, intervalMs: 5 }));
  await using doomed = spawnSequencer(database);
  await using _survivor = spawnSequencer(database);

  const writers = Array.from({ length: 8 }, (_, writer) => write(db, writer, 150));
  await until(async () => (await numbers(database, 'outbox')).length > 300, { what: 'the first events have numbers' });
  await doomed.kill();
  const kept = (await Promise.all(writers)).flat();

  const seen = await until(
    async () => {
      const all = await numbers(database, 'outbox');
      return all.length === kept.length && all;
    },
    { what: 'every event has a number' },
  );
  expect(seen).toEqual(kept.map((_, index) => index + 1));
  expect(await ofEachWriter(database)).toEqual(Array.from({ length: 8 }, (_, writer) => ofWriter(kept, writer)));
  await until(async () => (await numbers(database, 'audit_log')).length === kept.length, {
    what: 'every entry is chained',
  });
  expect(await verifyAuditChain(db)).toMatchObject({ intact: true, entries: kept.length, isComplete: true });
});

test('an event that commits late gets a later number, never one that readers have already passed', async () => {
  await using database = await testDatabase();
  await using store = open(database);
  const { db } = store;
  const late = Promise.withResolvers<undefined>();
  const written = Promise.withResolvers<undefined>();
  const slow = db.transaction().execute(async (tx) => {
    await happen(tx, 'slow');
    written.resolve(undefined);
    await late.promise;
  });
  await written.promise;
  await db.transaction().execute((tx) => happen(tx, 'quick'));
  await sequenceBatch(db);
  late.resolve(undefined);
  await slow;
  await sequenceBatch(db);

  const rows = await database.sql.run<{ actor: string }>`SELECT actor FROM outbox ORDER BY seq`;
  expect(rows.map(({ actor }) => actor)).toEqual(['quick', 'slow']);
});

test('an audit entry that cannot be chained keeps no event from its number', async () => {
  await using database = await testDatabase();
  await using store = open(database);
  const { db } = store;
  await db.transaction().execute((tx) => happen(tx, 'first'));
  // No process of the service writes such an instant.
  await database.sql.run`alter table audit_log disable trigger user`;
  await database.sql.run`update audit_log set at = 'infinity'`;
  await db.transaction().execute((tx) => happen(tx, 'second'));
  await expect(sequenceBatch(db)).rejects.toThrow('not an instant');
  expect(await numbers(database, 'outbox')).toEqual([1, 2]);
  expect(await numbers(database, 'audit_log')).toEqual([]);
});

test('an event that is rolled back never gets a number', async () => {
  await using database = await testDatabase();
  await using store = open(database);
  const { db } = store;
  const undone = db.transaction().execute(async (tx) => {
    await happen(tx, 'undone');
    throw new Error('undo');
  });
  await expect(undone).rejects.toThrow('undo');
  await db.transaction().execute((tx) => happen(tx, 'done'));
  await sequenceBatch(db);
  expect(await numbers(database, 'outbox')).toEqual([1]);
});

test.each([
  ['changed', 'UPDATE audit_log SET metadata = \'{"lovelace": "1"}\' WHERE seq = 3', 'entry_changed', '3'],
  ['given to another actor', "UPDATE audit_log SET actor_id = 'somebody' WHERE seq = 5", 'entry_changed', '5'],
  ['removed', 'DELETE FROM audit_log WHERE seq = 4', 'entry_missing', '4'],
  [
    'removed and closed over',
    'DELETE FROM audit_log WHERE seq = 4; UPDATE audit_log SET seq = 4 WHERE seq = 5; UPDATE audit_log SET seq = 5 WHERE seq = 6',
    'link_changed',
    '4',
  ],
  ['given another hash', "UPDATE audit_log SET hash = repeat('a', 64) WHERE seq = 2", 'entry_changed', '2'],
])('an audit entry that was %s is detected', async (_case, tampering, reason, seq) => {
  await using database = await testDatabase();
  await using store = open(database);
  const { db } = store;
  for (let entry = 0; entry < 6; entry += 1) await db.transaction().execute((tx) => happen(tx, 'actor', entry));
  await sequenceBatch(db);
  expect(await verifyAuditChain(db)).toMatchObject({ intact: true, entries: 6, isComplete: true });
  await database.sql.query(tampering);
  expect(await verifyAuditChain(db)).toEqual({ intact: false, reason, seq });
});

/** Commits events one by one and several at a time, rolls others back; returns the committed ones. */
async function write(db: Db, writer: number, rounds: number): Promise<string[]> {
  const kept: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const names = Array.from({ length: 1 + (round % 3) }, (_, index) => `${writer}:${round}:${index}`);
    const isKept = round % 7 !== 3;
    const rolledBack = new Error('rolled back');
    const given = db.transaction().execute(async (tx) => {
      for (const name of names) await happen(tx, name);
      if (!isKept) throw rolledBack;
    });
    const outcome = await given.catch((error: unknown) => error);
    expect(outcome).toBe(isKept ? undefined : rolledBack);
    if (isKept) kept.push(...names);
  }
  return kept;
}

async function happen(tx: Transaction, actor: string, amount = 0): Promise<void> {
  const event = {
    type: 'VAULT_CANCEL_REQUESTED',
    vaultId: null,
    actor,
    transactionHash: null,
    correlationId: 'test',
    data: {},
  } as const;
  await eventInsert({ tx, ids, now: wallClock.now() }, [event]).execute();
  const metadata = { lovelace: String(amount), nested: { b: 1, a: [null, true] } };
  const entry = {
    action: 'vault.create',
    actor: { id: actor, type: 'SYSTEM' },
    resource: { type: 'vault', id: 'v' },
    metadata,
  } as const;
  await recordAudit({ tx, ids, now: wallClock.now() }, entry);
}

async function numbers(database: TestDatabase, table: 'outbox' | 'audit_log'): Promise<number[]> {
  const { rows } = await database.sql.query<{ seq: string }>(
    `SELECT seq FROM ${table} WHERE seq IS NOT NULL ORDER BY seq`,
  );
  return rows.map(({ seq }) => Number(seq));
}

async function ofEachWriter(database: TestDatabase): Promise<string[][]> {
  const rows = await database.sql.run<{ actor: string }>`SELECT actor FROM outbox ORDER BY seq`;
  const names = rows.map(({ actor }) => actor);
  return Array.from({ length: 8 }, (_, writer) => ofWriter(names, writer));
}

function ofWriter(names: readonly string[], writer: number): string[] {
  return names.filter((name) => name.startsWith(`${writer}:`));
}

function disposable(sequencer: Sequencer) {
  return { [Symbol.asyncDispose]: () => sequencer.close() };
}

function open(database: TestDatabase) {
  const db = openDatabase(database.url, () => undefined, 12);
  return { db, [Symbol.asyncDispose]: () => db.destroy() };
}

function spawnSequencer(database: TestDatabase) {
  const script = fileURLToPath(new URL('./sequencer-process.ts', import.meta.url));
  const args = ['--disable-warning=ExperimentalWarning', script, database.url];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  return { kill, [Symbol.asyncDispose]: kill };
}
