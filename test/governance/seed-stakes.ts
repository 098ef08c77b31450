import { randomBytes, randomUUID } from 'node:crypto';
import type { TestPool } from '../stack/test-database.ts';

interface Seed {
  readonly wallet: string;
  /** Whole tokens of six decimals. */
  readonly tokens: number;
}

/** Inserts final stakes directly into the database, without transactions on the ledger. */
export async function seedStakes(sql: TestPool, vaultId: string, seeds: readonly Seed[], finalAt: Date): Promise<void> {
  const rows = seeds.map((seed) => ({ ...seed, id: randomUUID(), hash: randomBytes(32).toString('hex') }));
  await sql.query(
    `with seed as (
       select * from jsonb_to_recordset($1::jsonb) as seed (id uuid, wallet text, tokens numeric, hash text)
     ), transactions as (
       insert into chain_transactions (id, kind, vault_id, owner_workflow, signer, wallet, hash, unsigned_cbor, inputs,
         outputs, required_signers, fee, ttl_slot, expires_at, state, created_at, updated_at)
       select id, 'stake', $2, 'tx-' || id, 'wallet', wallet, hash, '', '[]', jsonb_build_array(jsonb_build_object(
         'txHash', hash, 'index', 0, 'address', wallet, 'lovelace', '2000000', 'assets', '{}'::jsonb)), '{}', 0, 0, $3,
         'final', $3, $3 from seed
     )
     insert into stakes (id, vault_id, wallet, amount, status, staked_at, final_at, owner_alone_from, release_slot,
       script_address, vault_key_hash, stake_transaction_id, updated_at)
     select seed.id, $2, wallet, tokens * 1000000, 'ACTIVE', $3, $3, $3 + interval '365 days', 0, '', vault_key_hash, seed.id, $3
     from seed, vaults where vaults.id = $2`,
    [JSON.stringify(rows), vaultId, finalAt],
  );
}

/** Status and used whole tokens of every stake in a vault, by wallet. */
export async function readStakeUsage(
  sql: TestPool,
  vaultId: string,
): Promise<Record<string, { status: string; used: number }>> {
  const rows = await sql.run<{ wallet: string; status: string; used_power: string }>`select wallet, status,
      used_power from stakes where vault_id = ${vaultId}`;
  return Object.fromEntries(
    rows.map(({ wallet, status, used_power: used }) => [wallet, { status, used: Number(used) / 1e6 }]),
  );
}
