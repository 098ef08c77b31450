import { type Kysely, sql } from 'kysely';

/**
 * Whether everybody may see the vault of a transaction, or it has none: a list for a stranger then reads past nothing. Null in older rows until
 * the sweep has filled it in (`fillShown`), because to change all of them in a migration would hold up their writers.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'alter table chain_transactions add column shown boolean',
  // Whatever the statement says: a process of an earlier release does not know the column.
  `create function set_shown() returns trigger language plpgsql as $$
    begin
      new.shown = new.vault_id is null or (select type from public.vaults where id = new.vault_id) <> 'PRIVATE';
      return new;
    end
  $$`,
  `create trigger shown_as_its_vault before insert or update of vault_id on chain_transactions
    for each row execute function set_shown()`,
  `create function pass_on_shown() returns trigger language plpgsql as $$
    begin
      update public.chain_transactions set shown = (new.type <> 'PRIVATE') where vault_id = new.id;
      return null;
    end
  $$`,
  `create trigger transactions_shown_as_vault after update of type on vaults
    for each row when (new.type is distinct from old.type) execute function pass_on_shown()`,
];
