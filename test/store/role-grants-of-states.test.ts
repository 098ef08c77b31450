import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { databaseUrls } from '../../embedded/databases.ts';
import { transactionStates } from '../../src/transactions/rules.ts';
import { canaries } from '../secrets/canaries.ts';
import { openPool, testDatabase, type TestDatabase } from '../stack/test-database.ts';

type Row = Readonly<Record<string, unknown>>;

let database: TestDatabase;
let pools: Record<'api' | 'worker', pg.Pool>;

beforeAll(async () => {
  database = await testDatabase();
  const urls = databaseUrls(database.url, canaries);
  pools = { api: openPool(urls.api, 1), worker: openPool(urls.worker, 1) };
  // So that a row needs nothing beside its state, and nothing else refuses one.
  await database.sql.run`do $$ declare found record; begin
    for found in select conrelid::regclass as name, conname from pg_constraint where contype in ('c', 'f') and connamespace = 'public'::regnamespace and conrelid <> 0
    loop execute format('alter table %s drop constraint %I', found.name, found.conname); end loop; end $$`;
});
afterAll(async () => {
  await pools.api.end();
  await pools.worker.end();
  await database[Symbol.asyncDispose]();
});

/** What becomes of statements that a process runs in a transaction, which is rolled back. Postgres does not log what a block has caught. */
async function attempt(process: 'api' | 'worker', ...statements: string[]): Promise<string> {
  const client = await pools[process].connect();
  try {
    await client.query('begin');
    await client.query(`do $$ begin ${statements.join(';')}; perform set_config('test.outcome', 'done', true);
      exception when others then perform set_config('test.outcome', sqlerrm, true); end $$`);
    const { rows } = await client.query<{ outcome: string }>(`select current_setting('test.outcome') as outcome`);
    return rows[0]?.outcome ?? 'nothing';
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** The statement that inserts a row, with anything in the columns that are not given. */
async function insertOf(table: string, given: Row): Promise<string> {
  const rows = await database.sql.run<{ name: string; type: string }>`select column_name as name, udt_name as type
      from information_schema.columns where table_schema = 'public'
      and table_name = ${table} and is_nullable = 'NO' and column_default is null and is_generated = 'NEVER' and is_identity = 'NO'`;
  const row: Row = { ...Object.fromEntries(rows.map(({ name, type }) => [name, anything(type)])), ...given };
  const values = Object.values(row).map((value) => `'${String(value)}'`);
  return `insert into ${table} (${Object.keys(row).join(', ')}) values (${values.join(', ')})`;
}

function anything(type: string): string {
  if (type === 'timestamptz') return 'now';
  if (type === 'jsonb' || type.startsWith('_')) return '{}';
  if (type === 'bool') return 'false';
  return type === 'text' || type === 'uuid' ? randomUUID() : '1';
}

async function seed(table: string, given: Row): Promise<void> {
  await database.sql.query(await insertOf(table, given));
}

const waiting = { kind: 'invest', signer: 'wallet', state: 'awaiting_signatures', platform_signers: '{}' };

const transactionInsert = (given: Row = {}) => insertOf('chain_transactions', { ...waiting, ...given });

interface HistoryEntry {
  readonly position?: number;
  readonly state?: string;
  readonly height?: number;
}

const historyInsert = (id: string, given: HistoryEntry = {}): string => {
  const { position = 0, state = 'awaiting_signatures', height = null } = given;
  return `insert into chain_transaction_history (transaction_id, position, state, at, block_height)
    values ('${id}', ${position}, '${state}', now(), ${height})`;
};

describe('the api records a transaction only as one that waits to be signed, and of a kind that it makes', () => {
  test.each([
    { signer: 'wallet', state: 'awaiting_signatures' },
    { signer: 'platform', state: 'pending', kind: 'anchor' },
  ])('%o is recorded', async (given) => {
    const id = randomUUID();
    const statements = [await transactionInsert({ id, ...given }), historyInsert(id, given)];
    expect(await attempt('api', ...statements)).toBe('done');
  });

  test.each([
    { kind: 'gather_pot', state: 'final' },
    { kind: 'gather_pot' },
    { kind: 'hand_over', signer: 'platform', state: 'pending' },
    { kind: 'mint' },
    { state: 'final' },
    { state: 'confirmed' },
    { state: 'submitted' },
    { state: 'expired' },
    { state: 'pending' },
  ])('%o is refused', async (given) => {
    const insert = await transactionInsert(given);
    expect(await attempt('api', insert)).toMatch(/^permission denied/);
    expect(await attempt('worker', insert)).toBe('done');
  });
});

describe('the api changes the state of a transaction only until it is signed', () => {
  const to = (state: string) => `update chain_transactions set state = '${state}'`;

  beforeEach(() => database.sql.query('truncate chain_transactions cascade'));

  test.each(['claim', 'execute', 'return_unsolicited'])(
    'a %s, which lacks the signature of the vault, is sent on or ended',
    async (kind) => {
      await seed('chain_transactions', { ...waiting, kind, platform_signers: '{vault}' });
      expect(await attempt('api', to('pending'))).toBe('done');
      expect(await attempt('api', to('expired'))).toBe('done');
      expect(await attempt('api', `${to('awaiting_signatures')}, error = 'withdrawn'`)).toBe('done');
    },
  );

  test('what a wallet could submit by itself, and what cosigners sign for a vault, is sent on, but not ended', async () => {
    await seed('chain_transactions', { ...waiting, kind: 'invest' });
    await seed('chain_transactions', { ...waiting, kind: 'gather_pot', platform_signers: '{vault}' });
    expect(await attempt('api', to('pending'))).toBe('done');
    for (const kind of ['invest', 'gather_pot'])
      expect(await attempt('api', `${to('expired')} where kind = '${kind}'`)).toMatch(/^permission denied/);
  });

  const changes = transactionStates.flatMap((from) => transactionStates.map((state) => [from, state] as const));
  const refused = changes.filter(
    ([from, state]) => from !== state && (from !== 'awaiting_signatures' || !/^[pe]/.test(state)),
  );
  test.each(refused)('%s to %s is refused', async (from, state) => {
    await seed('chain_transactions', { ...waiting, kind: 'claim', platform_signers: '{vault}', state: from });
    expect(await attempt('api', to(state))).toMatch(/^permission denied/);
    expect(await attempt('worker', to(state))).toBe('done');
  });

  test('its history has no entry that differs from its state, or says more than that', async () => {
    const id = randomUUID();
    await seed('chain_transactions', { ...waiting, id });
    await database.sql.query(historyInsert(id));
    expect(await attempt('api', to('pending'), historyInsert(id, { position: 1, state: 'pending' }))).toBe('done');
    for (const entry of [
      { position: 1, state: 'final' },
      { position: 1, state: 'pending' },
      { position: 2 },
      { position: 1, height: 1 },
    ]) {
      expect(await attempt('api', historyInsert(id, entry))).toMatch(/^permission denied/);
      expect(await attempt('worker', historyInsert(id, entry))).toBe('done');
    }
    await database.sql.query(to('final'));
    expect(await attempt('api', historyInsert(id, { position: 1, state: 'final' }))).toMatch(/^permission denied/);
  });
});

describe('the api does not say what became of deposits, stakes, claims and executions, nor that a vote has passed', () => {
  test.each([
    ['assets', 'PENDING', ['RELEASED'], ['LOCKED']],
    ['assets', 'LOCKED', [], ['PENDING', 'RELEASED']],
    ['assets', 'RELEASED', [], ['PENDING', 'LOCKED']],
    ['stakes', 'ACTIVE', ['LOCKED'], ['RELEASED']],
    ['stakes', 'LOCKED', ['ACTIVE'], ['RELEASED']],
    ['stakes', 'RELEASED', [], ['ACTIVE', 'LOCKED']],
    ['claims', 'PENDING', [], ['PAID', 'FAILED', 'EXPIRED']],
    ['claims', 'EXPIRED', [], ['PENDING', 'PAID']],
    ['executions', 'FROZEN', ['SENT', 'VOIDED'], ['EXECUTED', 'FAILED']],
    ['executions', 'SENT', [], ['FROZEN', 'EXECUTED', 'FAILED', 'VOIDED']],
    ['proposals', 'DRAFT', ['ACTIVE', 'FAILED'], ['PASSED', 'EXECUTED']],
    ['proposals', 'ACTIVE', ['FAILED'], ['DRAFT', 'PASSED', 'EXECUTED']],
    ['proposals', 'PASSED', ['FAILED'], ['EXECUTED', 'ACTIVE']],
    ['proposals', 'EXECUTED', [], ['PASSED', 'FAILED']],
  ])('%s that are %s become %p, and not %p', async (table, status, allowed, refused) => {
    await database.sql.query(`truncate ${table} cascade`);
    await seed(table, { status });
    const change = (to: string) => `update ${table} set status = '${to}'`;
    for (const to of allowed) expect(await attempt('api', change(to))).toBe('done');
    for (const to of refused) {
      expect(await attempt('api', change(to))).toMatch(/^permission denied/);
      expect(await attempt('worker', change(to))).toBe('done');
    }
  });

  test.each([
    ['assets', 'PENDING', 'LOCKED'],
    ['investments', 'PENDING', 'CONFIRMED'],
    ['stakes', 'ACTIVE', 'RELEASED'],
    ['claims', 'PENDING', 'PAID'],
    ['executions', 'FROZEN', 'EXECUTED'],
    ['proposals', 'DRAFT', 'PASSED'],
  ])('%s begin as %s, not as %s', async (table, first, refused) => {
    expect(await attempt('api', await insertOf(table, { status: first }))).toBe('done');
    expect(await attempt('api', await insertOf(table, { status: refused }))).toMatch(
      /^permission denied for this insert/,
    );
  });

  test('a claim ends with its transaction', async () => {
    await database.sql.run`truncate chain_transactions, claims cascade`;
    const [id, expire] = [randomUUID(), `update claims set status = 'EXPIRED'`];
    await seed('chain_transactions', { ...waiting, id, kind: 'claim', platform_signers: '{vault}' });
    await seed('claims', { status: 'PENDING', claim_transaction_id: id });
    expect(await attempt('api', expire)).toMatch(/^permission denied/);
    expect(await attempt('api', `update chain_transactions set state = 'expired'`, expire)).toBe('done');
  });
});

test('a transaction that brings or returns a deposit of one row does so of no other', async () => {
  const id = randomUUID();
  for (const [table, brought] of [
    ['assets', { add_transaction_id: id, status: 'PENDING' }],
    ['investments', { transaction_id: id, status: 'PENDING' }],
  ] as const) {
    await database.sql.query(`truncate ${table} cascade`);
    const [one, other] = [await insertOf(table, brought), await insertOf(table, brought)];
    expect(await attempt('api', one)).toBe('done');
    expect(await attempt('api', one, other)).toMatch(/^permission denied/);
    await seed(table, { status: 'PENDING', remove_transaction_id: id });
    const mine = randomUUID();
    await seed(table, { status: 'PENDING', id: mine });
    const link = (to: string) => `update ${table} set remove_transaction_id = '${to}' where id = '${mine}'`;
    expect(await attempt('api', link(randomUUID()))).toBe('done');
    expect(await attempt('api', link(id))).toMatch(/^permission denied/);
  }
  await database.sql.run`truncate assets cascade`;
  const ofOne = { add_transaction_id: id, status: 'PENDING' };
  const outputs = [await insertOf('assets', ofOne), await insertOf('assets', { ...ofOne, deposit_index: 1 })];
  expect(await attempt('api', ...outputs)).toBe('done');
});

test('the audit log keeps each entry that is chained as it is, and when that was is the time of the database', async () => {
  const entry = (at = 'now()') =>
    `insert into audit_log (id, action, actor_id, actor_type, resource_type, resource_id, metadata, at)
      values (gen_random_uuid(), 'X', 'x', 'SYSTEM', 'x', 'x', '{}', ${at})`;
  const chain = (chainedAt = 'now()') =>
    `update audit_log set seq = 1, previous_hash = 'x', hash = 'x', chained_at = ${chainedAt}`;
  expect(await attempt('api', entry(), chain())).toBe('done');
  for (const chainedAt of [`now() + interval '1 day'`, 'null'])
    expect(await attempt('api', entry(), chain(chainedAt))).toMatch(/^permission denied/);
  for (const again of [
    chain(),
    'update audit_log set seq = null',
    'update audit_log set seq = 2',
    `update audit_log set hash = 'y'`,
  ])
    expect(await attempt('api', entry(), chain(), again)).toMatch(/^permission denied/);
  for (const at of [`now() - interval '1 day'`, `now() + interval '1 day'`, `'infinity'`])
    expect(await attempt('api', entry(at))).toMatch(/^permission denied/);
  await database.sql.run`update clock_offset set offset_ms = 86400000`;
  expect(await attempt('api', entry(`now() + interval '1 day'`))).toBe('done');
});

test('an event keeps its number', async () => {
  await seed('outbox', {});
  const number = (seq: string) => `update outbox set seq = ${seq}`;
  expect(await attempt('api', number('1'))).toBe('done');
  for (const again of ['2', 'null'])
    expect(await attempt('api', number('1'), number(again))).toMatch(/^permission denied/);
});
