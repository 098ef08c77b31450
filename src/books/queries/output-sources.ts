import { sql } from 'kysely';
import type { VaultAddress } from '../../vaults/rules/vault-address.ts';

/** A vault, and the addresses that belong to itself; those of its depositors and stakers are known from its rows. */
export interface VaultPlaces {
  readonly vaultId: string;
  readonly own: readonly Pick<VaultAddress, 'kind' | 'address'>[];
}

// What the relation of a vault's outputs is made from; each reads those before it by their names.

/** `landed`: the recorded transactions of a vault that are on the ledger. */
export function landedTransactions(vaultId: string) {
  return sql`
    select t.hash, t.kind, t.inputs, t.outputs, t.created_at, coalesce((
        select h.at from chain_transaction_history h
        where h.transaction_id = t.id and h.state = 'confirmed' order by h.position desc limit 1
      ), t.updated_at) as landed_at
    from chain_transactions t where t.vault_id = ${vaultId} and t.state in ('confirmed', 'final')`;
}

/** `places`: the addresses of a vault. */
export function vaultPlaces(vaultId: string, own: VaultPlaces['own']) {
  return sql`
    select distinct on (address) address, place from (
      select address, place, 0 as rank
        from unnest(${own.map(({ address }) => address)}::text[], ${own.map(({ kind }) => kind)}::text[])
          as own (address, place)
      union all
      select t.outputs -> a.deposit_index ->> 'address', 'deposit', 1
        from assets a join chain_transactions t on t.id = a.add_transaction_id
        where a.vault_id = ${vaultId} and t.state in ('confirmed', 'final')
      union all
      select t.outputs -> 0 ->> 'address', 'deposit', 1
        from investments i join chain_transactions t on t.id = i.transaction_id
        where i.vault_id = ${vaultId} and t.state in ('confirmed', 'final')
      union all select script_address, 'stake', 1 from stakes where vault_id = ${vaultId}
      union all select address, place, 2 from unsolicited_outputs where vault_id = ${vaultId}
    ) as known where address is not null order by address, rank`;
}

/** `paid`: all outputs of `landed`, those of others too. */
export const paidOutputs = sql`
    select hash as tx_hash, (o ->> 'index')::int as output_index, o ->> 'address' as address, (o ->> 'lovelace')::numeric as lovelace,
        o -> 'assets' as assets, kind, landed_at, created_at
      from landed cross join lateral jsonb_array_elements(outputs) as o`;

/** `made`: the outputs. An unsolicited one that is gone although no transaction spent it was rolled back with its block. */
export function madeOutputs(vaultId: string) {
  return sql`
    select tx_hash, output_index, address, place, lovelace, assets, kind as made_by,
        exists (select from unsolicited_outputs u
          where u.tx_hash = paid.tx_hash and u.output_index = paid.output_index) as unsolicited,
        landed_at as made_at, created_at as made_order
      from paid join places using (address)
    union all
    select tx_hash, output_index, address, place, lovelace, assets, null, true, seen_at, seen_at
      from unsolicited_outputs u
      where vault_id = ${vaultId} and not exists (select from chain_transactions t
          where t.hash = u.tx_hash and t.vault_id = ${vaultId})
        and (gone_at is null or gone_hash is not null or return_transaction_id is not null)`;
}

/** `spent`: what was spent. What a recorded transaction spent is spent by that one, whatever else is recorded of it. */
export function spentOutputs(vaultId: string) {
  const reclaimed = (table: 'assets' | 'investments' | 'stakes', index: string, at: string, maker: string) => sql`
      select t.hash, ${sql.raw(index)}, d.reclaim_hash, ${sql.raw(at)}, ${sql.raw(at)}, 1
        from ${sql.table(table)} d join chain_transactions t on t.id = ${sql.ref(maker)}
        where d.vault_id = ${vaultId} and d.release_reason = 'reclaimed'`;
  return sql`
    select distinct on (tx_hash, output_index) tx_hash, output_index, spender, spent_at, spent_order from (
      select i ->> 'txHash' as tx_hash, (i ->> 'index')::int as output_index, hash as spender,
          landed_at as spent_at, created_at as spent_order, 0 as rank
        from landed cross join lateral jsonb_array_elements(inputs) as i
      union all ${reclaimed('assets', 'd.deposit_index', 'd.released_at', 'd.add_transaction_id')}
      union all ${reclaimed('investments', '0', 'd.updated_at', 'd.transaction_id')}
      union all ${reclaimed('stakes', '0', 'd.updated_at', 'd.stake_transaction_id')}
      union all
      select tx_hash, output_index, gone_hash, gone_at, gone_at, 2 from unsolicited_outputs
        where vault_id = ${vaultId} and gone_at is not null and return_transaction_id is null
    ) as spends order by tx_hash, output_index, rank`;
}
