import { type RawBuilder, sql } from 'kysely';
import type { TransactionKind } from '../../transactions/rules/transaction-state.ts';
import type { VaultAddressKind } from '../../vaults/rules/vault-address.ts';
import type { StoredUtxo } from '../../transactions/queries/stored-utxo.ts';
import {
  landedTransactions,
  madeOutputs,
  paidOutputs,
  spentOutputs,
  type VaultPlaces,
  vaultPlaces,
} from './output-sources.ts';

/** An output that was made at an address of a vault, by a transaction that is on the ledger as far as it is followed. */
export interface VaultOutputRow {
  readonly tx_hash: string;
  readonly output_index: number;
  readonly address: string;
  readonly place: VaultAddressKind;
  /** As text; `lovelace_number` sorts. */
  readonly lovelace: string;
  readonly assets: StoredUtxo['assets'];
  /** Null for an output that no transaction of the vault made. */
  readonly made_by: TransactionKind | null;
  readonly unsolicited: boolean;
  readonly made_at: Date;
  readonly made_order: Date;
  /** Null while it is unspent; the spender may be unknown all the same. */
  readonly spent_at: Date | null;
  readonly spent_order: Date | null;
  readonly spender: string | null;
}

/**
 * Every output of a vault, spent or not, as a relation: of the recorded transactions that are on the ledger at present, whatever their
 * kind, with what owners reclaimed, and with unsolicited outputs. What was rolled back, withdrawn or never signed is not in it. What a
 * scan found only after the block that spends it was made before that, all the same.
 */
export function vaultOutputs({ vaultId, own }: VaultPlaces): RawBuilder<VaultOutputRow> {
  return sql<VaultOutputRow>`(
    with landed as materialized (${landedTransactions(vaultId)}),
      places as materialized (${vaultPlaces(vaultId, own)}),
      -- Joined when it is known, or Postgres reads all places for each transaction.
      paid as materialized (${paidOutputs}),
      made as (${madeOutputs(vaultId)}),
      spent as (${spentOutputs(vaultId)})
    select tx_hash, output_index, address, place, lovelace, assets, made_by, unsolicited,
        least(made_at, spent_at) as made_at,
        least(made_order, spent_order - interval '1 microsecond') as made_order,
        spent_at, spent_order, spender
      from made left join spent using (tx_hash, output_index)
  )`;
}
