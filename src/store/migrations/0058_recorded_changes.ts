import { type Kysely, sql } from 'kysely';

/**
 * Each transaction records whose facts it changes, so that a process knows when what it has read is no longer true. Triggers do so: no
 * code, and no process of an older release, can forget it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = current_schema() and column_name = 'vault_id'`.execute(db);
  const ofVaults = rows.map(({ name }) => [name, `select coalesce(vault_id::text, 'no vault') from changed`] as const);
  for (const [table, subjects] of [...ofVaults, ...Object.entries(subjectsOf)])
    await sql`select record_changes(${table}, ${subjects})`.execute(db);
  // Numbering an event changes nothing that a read shows.
  await sql`drop trigger changes_recorded_on_update on outbox`.execute(db);
}

const statements = [
  `create table changes (
    subject text not null,
    transaction xid8 not null default pg_current_xact_id(),
    at timestamptz not null default clock_timestamp(),
    primary key (subject, transaction)
  )`,
  'create index changes_by_transaction on changes (transaction)',
  'create index stakes_by_owner_alone on stakes (owner_alone_from) where voting_power > 0',
  // Records the changes of a table; "subjects" selects those of the rows in "changed". For use in migrations.
  `create function record_changes(of_table text, subjects text) returns void language plpgsql as $make$
    declare
      operation text;
    begin
      execute format($create$
        create function record_changes_of_%1$s() returns trigger language plpgsql as $body$
          begin
            insert into changes (subject) select distinct subject from (%2$s) as found (subject)
              where subject is not null on conflict do nothing;
            return null;
          end $body$
      $create$, of_table, subjects);
      foreach operation in array array['insert', 'update', 'delete'] loop
        execute format('create trigger changes_recorded_on_%1$s after %1$s on %2$I referencing %3$s table as changed
          for each statement execute function record_changes_of_%2$s()',
          operation, of_table, case operation when 'delete' then 'old' else 'new' end);
      end loop;
    end $make$`,
];

const ofProposal = 'select vault_id::text from changed join proposals on proposals.id = proposal_id';
const ofTransaction = 'select vault_id::text from changed join chain_transactions t on t.id = transaction_id';

/** Tables without the id of a vault. */
const subjectsOf: Readonly<Record<string, string>> = {
  vaults: 'select id::text from changed',
  votes: ofProposal,
  endorsements: ofProposal,
  vote_stakes: 'select vault_id::text from changed join stakes on stakes.id = stake_id',
  transaction_deposits: ofTransaction,
  anchor_attempts: ofTransaction,
  chain_transaction_history: ofTransaction,
  anchor_batches: 'select vault_id::text from changed join anchor_facts on batch_id = changed.id',
  prices: `select 'prices' from changed`,
  pauses: `select 'pauses' from changed`,
  blocks: `select 'blocks' from changed`,
  platform: `select 'blocks' from changed`,
};
