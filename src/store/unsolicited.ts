import { type Selectable, sql } from 'kysely';
import type { Utxo } from '../chain/transaction.ts';
import type { VaultAddress, VaultAddressKind } from '../chain/scripts/vault-addresses.ts';
import { type Instant, instant } from '../domain/units/instant.ts';
import type { TransactionKind } from '../domain/transaction/transaction-state.ts';
import type { Db, Transaction } from './database.ts';
import { readStoredUtxo, storedUtxo, type StoredUtxo } from './stored-utxo.ts';
import type { UnsolicitedOutputsTable } from './tables/unsolicited.ts';
import { type UtxoRef, refText } from '../domain/transaction/utxo-ref.ts';

export const unsolicitedStatuses = ['PRESENT', 'RETURNING', 'RETURNED', 'GONE'] as const;
export type UnsolicitedStatus = (typeof unsolicitedStatuses)[number];

/** An output at an address of a vault that none of our transactions made. */
export interface UnsolicitedOutput {
  readonly utxo: Utxo;
  readonly place: VaultAddressKind;
  /** Whose deposit address it lies at. */
  readonly depositor: string | null;
  readonly status: UnsolicitedStatus;
  readonly seenAt: Instant;
  readonly goneAt: Instant | null;
  readonly returnedAt: Instant | null;
}

/** What was found where. */
export interface FoundOutput {
  readonly utxo: Utxo;
  readonly place: VaultAddress;
}

/** Those outputs whose transaction is none that we ever built, whatever has become of ours. */
export async function excludeOwnOutputs<Found extends FoundOutput>(db: Db, found: readonly Found[]): Promise<Found[]> {
  const ours = await ourKinds(
    db,
    found.map(({ utxo }) => utxo),
  );
  return found.filter(({ utxo }) => !ours.has(utxo.txHash));
}

/**
 * What made that in custody which nobody spends: what the settlement keeps for those who took their deposits back (design D13c), the
 * token whose datum says the decimals of the vault's own (design D21), which another output would not have, and the vault's NFT.
 */
const untouched: readonly string[] = ['liquidity', 'mint', 'create_vault'] satisfies TransactionKind[];

/** Of what lies unspent in a vault's custody that which the vault can spend: made by our own transactions (design D16), but not all of it. */
export async function vaultSpendableUtxos(db: Db, inCustody: readonly Utxo[]): Promise<Utxo[]> {
  const ours = await ourKinds(db, inCustody);
  return inCustody.filter(({ txHash }) => {
    const kind = ours.get(txHash);
    return kind !== undefined && !untouched.includes(kind);
  });
}

/** The kind of each transaction among theirs that is ours, by hash. */
async function ourKinds(db: Db, utxos: readonly Utxo[]): Promise<ReadonlyMap<string, string>> {
  if (utxos.length === 0) return new Map();
  const hashes = [...new Set(utxos.map(({ txHash }) => txHash))];
  const rows = await db.selectFrom('chain_transactions').select(['hash', 'kind']).where('hash', 'in', hashes).execute();
  return new Map(rows.map(({ hash, kind }) => [hash, kind]));
}

/** The listed outputs of a vault as `<hash>#<index>`. */
export async function listedRefs(db: Db, vaultId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('unsolicited_outputs')
    .select(['tx_hash', 'output_index'])
    .where('vault_id', '=', vaultId)
    .execute();
  return new Set(rows.map((row) => refText({ txHash: row.tx_hash, index: row.output_index })));
}

export async function insertUnsolicited(
  tx: Transaction,
  vaultId: string,
  found: readonly FoundOutput[],
  now: Instant,
): Promise<void> {
  if (found.length === 0) return;
  const rows = found.map(({ utxo, place: { kind, depositor } }) => ({
    tx_hash: utxo.txHash,
    output_index: utxo.index,
    vault_id: vaultId,
    place: kind,
    depositor,
    address: utxo.address,
    lovelace: utxo.lovelace,
    assets: JSON.stringify(storedUtxo(utxo).assets),
    seen_at: new Date(now),
  }));
  // Two looks at once find the same.
  await tx
    .insertInto('unsolicited_outputs')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Remembers which of a vault's listed outputs are on the ledger at present; a rollback brings spent ones back. */
export async function markPresent(
  tx: Transaction,
  vaultId: string,
  present: readonly UtxoRef[],
  now: Instant,
): Promise<void> {
  const isPresent = isAmong(present);
  await tx
    .updateTable('unsolicited_outputs')
    .set({ gone_at: sql<Date | null>`case when ${isPresent} then null else ${new Date(now)}::timestamptz end` })
    .where('vault_id', '=', vaultId)
    .where(sql<boolean>`(gone_at is null) <> ${isPresent}`)
    .execute();
}

/** The named ones of a vault's listed outputs, kept from being returned by anybody else until the transaction ends. */
export async function lockUnsolicited(
  tx: Transaction,
  vaultId: string,
  refs: readonly UtxoRef[],
): Promise<UnsolicitedOutput[]> {
  const rows = await tx
    .selectFrom('unsolicited_outputs')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where(isAmong(refs))
    .orderBy('tx_hash')
    .orderBy('output_index')
    .forUpdate()
    .execute();
  return rows.map(readUnsolicited);
}

/** Ties outputs to the transaction that returns them. */
export async function setReturning(tx: Transaction, refs: readonly UtxoRef[], transactionId: string): Promise<void> {
  await tx
    .updateTable('unsolicited_outputs')
    .set({ return_transaction_id: transactionId })
    .where(isAmong(refs))
    .execute();
}

/** Remembers whether the transaction that returns them is on the ledger. */
export async function setReturned(tx: Transaction, transactionId: string, returnedAt: Instant | null): Promise<void> {
  await tx
    .updateTable('unsolicited_outputs')
    .set({ returned_at: returnedAt === null ? null : new Date(returnedAt) })
    .where('return_transaction_id', '=', transactionId)
    .execute();
}

/** Lets go of what a transaction was to return and never can. */
export async function clearReturning(tx: Transaction, transactionId: string): Promise<void> {
  await tx
    .updateTable('unsolicited_outputs')
    .set({ return_transaction_id: null, returned_at: null })
    .where('return_transaction_id', '=', transactionId)
    .execute();
}

function isAmong(refs: readonly UtxoRef[]) {
  return sql<boolean>`((tx_hash, output_index) in (
    select * from unnest(${refs.map(({ txHash }) => txHash)}::text[], ${refs.map(({ index }) => index)}::int[])
  ))`;
}

/** Reads a row; kept here so that every query of this table answers the same shape. */
export function readUnsolicited(row: Selectable<UnsolicitedOutputsTable>): UnsolicitedOutput {
  const { tx_hash: txHash, output_index: index, address, lovelace } = row;
  const at = (date: Date | null) => (date === null ? null : instant(date));
  return {
    utxo: readStoredUtxo({ txHash, index, address, lovelace, assets: row.assets as StoredUtxo['assets'] }),
    place: row.place as VaultAddressKind,
    depositor: row.depositor,
    status: statusOf(row),
    seenAt: instant(row.seen_at),
    goneAt: at(row.gone_at),
    returnedAt: at(row.returned_at),
  };
}

function statusOf(row: Selectable<UnsolicitedOutputsTable>): UnsolicitedStatus {
  if (row.returned_at !== null) return 'RETURNED';
  if (row.return_transaction_id !== null) return 'RETURNING';
  return row.gone_at === null ? 'PRESENT' : 'GONE';
}
