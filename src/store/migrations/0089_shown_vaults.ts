import { type Kysely, sql } from 'kysely';

const shown = `where type <> 'PRIVATE' and deleted_at is null`;
const statements = [
  // Those that everybody may see, in each order of the list.
  `create index vaults_shown_by_creation on vaults (created_at, id) ${shown}`,
  `create index vaults_shown_by_update on vaults (updated_at, id) ${shown}`,
  `create index vaults_shown_by_name on vaults (name, id) ${shown}`,
  `create index vaults_shown_by_status on vaults (status, created_at, id) ${shown}`,
  `create index vaults_shown_by_type on vaults ((coalesce(custom_type, type)), created_at, id) ${shown}`,
  // The others that a wallet may see because it is on a list.
  `create index vaults_by_listed_contributor on vaults using gin (contributor_whitelist) where type = 'PRIVATE'`,
  `create index vaults_by_listed_investor on vaults using gin (investor_whitelist) where type = 'PRIVATE'`,
  // Addresses of before are watched from their turn in the pass over all vaults on, within a day.
  `update address_scan set watched_until = (select max(created_at) - interval '10 minutes' from chain_transactions)
    where watched_until is null`,
];

/** Lists, and jobs, find their vaults without reading those that are private or have ended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
