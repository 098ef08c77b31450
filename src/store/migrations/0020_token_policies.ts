import { type Kysely, sql } from 'kysely';

const statements = [
  `alter table vaults alter column ft_unit drop not null`,
  // A token that is not minted yet gets another policy (design D43).
  `update vaults set ft_unit = null where not exists (
    select from chain_transactions t
    where t.vault_id = vaults.id and t.kind = 'mint' and t.state not in ('expired', 'failed')
  )`,
];

/** The token of a vault has a policy of its own, which ends with its mint. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
