import { createHash } from 'node:crypto';
import type pg from 'pg';
import { keyAddress } from '../src/cardano/scripts/address.ts';
import { copyRows } from './copy-rows.ts';
import type { BenchStack } from './stack.ts';
import { copies, WALLETS } from './vault-copies.ts';

/**
 * Makes so many vaults with assets, stakes and votes in SQL, from one that was settled and has a stake, a proposal and a vote. Triggers
 * would only say that they have changed.
 */
export async function addManyVaults(
  { sql }: Pick<BenchStack, 'sql'>,
  vaultId: string,
  count: number,
): Promise<ReadonlyMap<string, number>> {
  const client = await sql.connect();
  try {
    await client.query(
      "set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '512MB'",
    );
    await client.query('create temporary table addresses (number int primary key, address text not null)');
    await client.query(
      `insert into addresses select n - 1, address from unnest($1::text[]) with ordinality as made (address, n)`,
      [Array.from({ length: WALLETS + 2 * (count + 1) }, (_, number) => addressOf(number))],
    );
    const made = await copyRows(client, copies, [count, vaultId]);
    await requireShownAsMarked(client);
    // As a migration does: the addresses of these are watched from their turn in the pass over all vaults on.
    await client.query('update address_scan set watched_until = now()');
    await client.query('vacuum (analyze)');
    return made;
  } finally {
    client.release(true);
  }
}

/** Throws when the copies are marked in another way than the triggers of the service, which did not run, would have marked them. */
async function requireShownAsMarked(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int from chain_transactions t left join vaults v on v.id = t.vault_id
     where t.shown is distinct from (v.id is null or v.type <> 'PRIVATE')`,
  );
  if (rows[0]?.count !== 0) throw new Error(`${rows[0]?.count ?? 0} transactions are not marked as the service does`);
}

function addressOf(number: number): string {
  return keyAddress(createHash('sha256').update(`address ${number}`).digest('hex').slice(0, 56), 0);
}
