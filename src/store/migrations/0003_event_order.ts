import { type Kysely, sql } from 'kysely';

/** Events and audit entries are numbered in the order they were written: instants and ids of one transaction are alike. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'alter table outbox add column recorded bigint generated always as identity',
  'drop index outbox_unsequenced',
  'create index outbox_unsequenced on outbox (recorded) where seq is null',
  'alter table audit_log add column recorded bigint generated always as identity',
  'drop index audit_log_unsequenced',
  'create index audit_log_unsequenced on audit_log (recorded) where seq is null',
];
