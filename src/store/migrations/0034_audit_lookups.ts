import { type Kysely, sql } from 'kysely';

const statements = [
  `create index audit_log_by_time on audit_log (at, id)`,
  `create index audit_log_by_actor on audit_log (actor_id, at, id)`,
  `create index audit_log_by_resource on audit_log (resource_id, at, id)`,
  `create index audit_log_by_action on audit_log (action, at, id)`,
];

/** Indexes for reading the audit log. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
