import { type Kysely, sql } from 'kysely';

/** `GET /audit-log?resourceType=` reads no other entries. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index audit_log_by_resource_type on audit_log (resource_type, at, id)`.execute(db);
}
