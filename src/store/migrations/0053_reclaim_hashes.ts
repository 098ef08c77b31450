import { type Kysely, sql } from 'kysely';

/** By which transactions owners took deposits, and others unsolicited outputs, without the platform; null where it is not known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const ofEvent = (table: string) => `update ${table} set reclaim_hash = (
    select transaction_hash from outbox
    where outbox.vault_id = ${table}.vault_id and type = 'DEPOSIT_RECLAIMED' and data ->> 'depositId' = ${table}.id::text
    order by recorded desc limit 1
  ) where release_reason = 'reclaimed'`;

const statements = [
  'alter table assets add column reclaim_hash text',
  'alter table investments add column reclaim_hash text',
  'alter table unsolicited_outputs add column gone_hash text',
  ofEvent('assets'),
  ofEvent('investments'),
];
