import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { databaseUrls } from '../../embedded/databases.ts';
import { requirePrepared } from '../../src/platform/database/roles/prepare-database.ts';
import { canaries } from '../secrets/canaries.ts';
import { operator } from '../stack/operator.ts';
import { openPool, testDatabase, type TestDatabase } from '../stack/test-database.ts';

let database: TestDatabase;
let urls: ReturnType<typeof databaseUrls>;
let pools: Record<'api' | 'worker', pg.Pool>;

beforeAll(async () => {
  database = await testDatabase();
  urls = databaseUrls(database.url, canaries);
  pools = { api: openPool(urls.api, 1), worker: openPool(urls.worker, 1) };
});
afterAll(async () => {
  await pools.api.end();
  await pools.worker.end();
  await database[Symbol.asyncDispose]();
});

/** The processes that may run a statement. Postgres checks that before it looks at rows, and does not log what a block has caught. */
async function whoMay(statement: string): Promise<string[]> {
  const asked = Object.entries(pools).map(async ([process, pool]) => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query(`do $$ begin ${statement}; exception
        when insufficient_privilege then perform set_config('test.refused', 'yes', true); when others then null; end $$`);
      const { rows } = await client.query<{ refused: string | null }>(
        `select current_setting('test.refused', true) as refused`,
      );
      await client.query('rollback');
      return rows[0]?.refused === 'yes' ? [] : [process];
    } finally {
      client.release();
    }
  });
  return (await Promise.all(asked)).flat();
}

describe('only the worker may write what it has signed, sent and seen on the ledger', () => {
  test.each([
    `update chain_transactions set signed_cbor = 'forged'`,
    `insert into chain_transactions (signed_cbor) values ('forged')`,
    `update chain_transactions set block_height = 1, block_hash = 'forged'`,
    `update chain_transactions set submitted_at = now()`,
    `insert into blocks (height, hash, slot, made_at) values (1, 'forged', 1, now())`,
    'delete from blocks',
    'update platform set confirmation_depth = 0',
    `insert into vault_keys (key_index, vault_key_hash, policy_key_hash) values (1, 'forged', 'forged')`,
  ])('%s', async (statement) => {
    expect(await whoMay(statement)).toEqual(['worker']);
  });
});

describe('only the worker may write what a vault holds and owes', () => {
  test.each([
    `insert into settlements (vault_id, distribution, planned_at) values (gen_random_uuid(), '{}', now())`,
    `insert into entitlements (ft) values (1)`,
    'update assets set counted_price = 1',
    'update assets set counted_value = 1',
    'update investments set return_reason = null',
    'insert into transaction_deposits (payment) values (null)',
    `update vaults set status = 'LOCKED'`,
    'update vaults set vault_key_hash = null',
    `update vaults set former_custodies = '[]'`,
    `update vaults set contract_address = 'forged'`,
    'update stakes set final_at = now()',
    'update proposals set required_cosigners = 0',
    'update proposals set closing_fact_id = gen_random_uuid()',
    `insert into terminations (remaining_assets_to) values ('forged')`,
    'update terminations set pot_lovelace = 0',
    `update windows set status = 'COMPLETED'`,
    'delete from holds',
    'delete from votes',
  ])('%s', async (statement) => {
    expect(await whoMay(statement)).toEqual(['worker']);
  });
});

describe('only the api may write who its callers are and what wallets have signed', () => {
  test.each([
    `insert into api_keys (id) values ('forged')`,
    `update wallet_roles set roles = '{ADMIN}'`,
    `insert into sessions (wallet) values ('forged')`,
    'perform secret_hash from api_keys',
    'perform token_hash from sessions',
    `update chain_transactions set witnesses = '[]'`,
    'insert into votes (amount) values (1)',
    'update vaults set changed_fdp = 1',
    'delete from pauses',
  ])('%s', async (statement) => {
    expect(await whoMay(statement)).toEqual(['api']);
  });
});

describe('neither may change what is recorded for good', () => {
  test.each([
    `update chain_transactions set unsigned_cbor = 'forged'`,
    `update chain_transactions set hash = 'forged'`,
    `update audit_log set actor_id = 'nobody'`,
    'delete from audit_log',
    'delete from chain_transactions',
    'delete from vaults',
    `update anchor_facts set fact = 'forged'`,
    `insert into vaults (former_custodies) values ('[]')`,
    'insert into stakes (final_at) values (now())',
    'update votes set amount = 1',
    'update stakes set amount = 1',
    `update proposals set terms = '{}'`,
    `update vaults set termination = '{}'`,
    `update vaults set governance = '{}'`,
    `insert into proposals (closing_fact_id) values (null)`,
    `update executions set terms = '{}'`,
    `update rotations set target = '{}'`,
    `update claims set payout = 1`,
    'update assets set quantity = 1',
    'update investments set lovelace = 1',
    'create table forged (id int)',
    'drop table votes',
    'alter table votes disable trigger all',
    `delete from kysely_migration`,
    `create function forged() returns int language sql as 'select 1'`,
  ])('%s', async (statement) => {
    expect(await whoMay(statement)).toEqual([]);
  });
});

test('a key that a vault has is given to no other one, so that none gets what lies at addresses of the other', async () => {
  await database.sql.run`insert into vault_keys (key_index, vault_key_hash, policy_key_hash) values (1, 'v', 'p')`;
  const assign = () => pools.api.query('update vault_keys set vault_id = gen_random_uuid() returning vault_id');
  const { rows } = await assign();
  await expect(assign()).rejects.toThrow('key 1 stays with vault');
  await expect(database.sql.query('update vault_keys set vault_id = null')).rejects.toThrow('key 1 stays with vault');
  expect(await database.sql.run`select vault_id from vault_keys`).toEqual(rows);
});

test('a right that a release no longer gives, or that was given by hand, ends with the next `ops migrate`', async () => {
  const statement = 'delete from votes';
  await database.sql.run`grant delete on votes to vaults_api`;
  expect(await whoMay(statement)).toEqual(['api', 'worker']);
  const printed = await operator({ databaseUrl: database.url }, 'migrate');
  expect(printed).toBe('Updated the database to this release.\n');
  expect(await whoMay(statement)).toEqual(['worker']);
});

describe('outside development', () => {
  const start = (process: 'api' | 'worker', databaseUrl: string) =>
    requirePrepared({ databaseUrl, process, isDevelopment: false });

  test('a process starts as its role', async () => {
    await expect(start('api', urls.api)).resolves.toBeUndefined();
    await expect(start('worker', urls.worker)).resolves.toBeUndefined();
  });

  test('a process does not start as the owner, nor an api as the worker', async () => {
    await expect(start('worker', urls.owner)).rejects.toThrow('let it log in as vaults_worker');
    await expect(start('api', urls.owner)).rejects.toThrow('let it log in as vaults_api');
    await expect(start('api', urls.worker)).rejects.toThrow('let it log in as vaults_api');
  });

  test('a process does not start before the migrations of its release, and names those that are missing', async () => {
    const rows = await database.sql.run<{ name: string }>`delete from kysely_migration
        where name = (select max(name) from kysely_migration) returning name`;
    await expect(start('api', urls.api)).rejects.toThrow(`lacks migration ${rows[0]?.name ?? ''}: run`);
    await database.sql.run`revoke all on kysely_migration from vaults_worker`;
    await expect(start('worker', urls.worker)).rejects.toThrow('is not prepared for the role vaults_worker');
  });
});
