import { sql } from 'kysely';
import type { Utxo } from '../../cardano/transaction.ts';
import type { HeldOutput } from '../rules/remains.ts';
import type { VaultAddressKind } from '../../vaults/rules/vault-address.ts';
import { type Instant, instant } from '../../platform/units/instant.ts';
import type { Db } from '../../platform/database/database.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import { readStoredUtxo } from '../../transactions/queries/stored-utxo.ts';
import { type EndingPot, endingPot, readEndingPot } from './ending-pot.ts';
import type { VaultPlaces } from './output-sources.ts';
import { type VaultOutputRow, vaultOutputs } from './vault-outputs.ts';

/** An unspent output of a vault. */
export interface ListedHeldOutput extends Omit<HeldOutput, 'units'> {
  readonly utxo: Utxo;
  /** When the transaction that made it was in a block; of an unsolicited output, when it was found. */
  readonly heldSince: Instant;
}

export interface HeldOutputFilter extends VaultPlaces {
  readonly place?: VaultAddressKind | undefined;
}

const columns = { heldSince: 'made_at', lovelace: 'lovelace' } as const;

/** A page of the outputs that the ledger holds at the addresses of a vault, the total, and its pot; null for one that does not end. */
export async function listHeldOutputs(
  db: Db,
  { place, ...places }: HeldOutputFilter,
  page: Page<keyof typeof columns>,
): Promise<{ outputs: ListedHeldOutput[]; count: PageCount; pot: EndingPot | null }> {
  const source = sql`with unspent as materialized (select * from ${vaultOutputs(places)} as made where spent_at is null) `;
  const held = db
    .selectFrom(sql<VaultOutputRow>`unspent`.as<'held'>(sql.ref('held')))
    .where((eb) => eb.and(givenFields({ place })));
  const of = endingPot(places.vaultId);
  const collection = { columns, tieBreak: ['tx_hash', 'output_index'], source, of };
  const { rows, count, of: pot } = await readPage(db, held.selectAll(), held, collection, page);
  return { outputs: rows.map(readHeldOutput), count, pot: pot && readEndingPot(pot) };
}

/** Reads an unspent output of `vaultOutputs`. */
function readHeldOutput(row: VaultOutputRow): ListedHeldOutput {
  const { tx_hash: txHash, output_index: index, address, lovelace, assets } = row;
  return {
    utxo: readStoredUtxo({ txHash, index, address, lovelace, assets }),
    place: row.place,
    madeBy: row.made_by,
    isUnsolicited: row.unsolicited,
    heldSince: instant(row.made_at),
  };
}
