import { type Kysely, sql } from 'kysely';

/**
 * What a transaction brings or returns is one row: the api could let a second one count, or leave, with the transaction of another. As the
 * triggers of migration 0096, for processes that may not write what was signed. Stakes, claims and executions have unique indexes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const isRestricted = `not has_column_privilege('chain_transactions'::regclass, 'signed_cbor', 'update')`;

const isReturnedAnew =
  'new.remove_transaction_id is not null and new.remove_transaction_id is distinct from old.remove_transaction_id';

const statements = [
  ...requireSole('assets', 'add_transaction_id = new.add_transaction_id and deposit_index = new.deposit_index'),
  ...requireSole('investments', 'transaction_id = new.transaction_id'),
];

function requireSole(table: string, isBroughtByTheSame: string): string[] {
  const others = (same: string) => `exists (select from public.${table} where ${same} and id <> new.id)`;
  return [
    `create function require_sole_of_${table}() returns trigger language plpgsql as $$
      begin
        if ${others(isBroughtByTheSame)} or ${others('remove_transaction_id = new.remove_transaction_id')} then
          raise exception 'permission denied for this % of a row of %', lower(tg_op), tg_table_name using errcode = 'insufficient_privilege';
        end if;
        return null;
      end
    $$`,
    `create trigger ${table}_sole_on_insert after insert on ${table} for each row when (${isRestricted})
      execute function require_sole_of_${table}()`,
    `create trigger ${table}_sole_on_update after update on ${table} for each row when ((${isReturnedAnew}) and ${isRestricted})
      execute function require_sole_of_${table}()`,
  ];
}
