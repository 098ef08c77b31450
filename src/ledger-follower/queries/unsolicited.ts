import { type Selectable, sql } from 'kysely';
import { unsolicitedReasons } from '../../assets/rules/asset.ts';
import type { Utxo } from '../../cardano/transaction.ts';
import { anyOf, bulkInsert } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { givenFields, type Page, readPage, type PageCount } from '../../platform/database/page.ts';
import type { UnsolicitedOutputsTable } from '../../platform/database/tables/ledger.ts';
import type { TransactionContext } from '../../platform/database/unit-of-work.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import { readStoredUtxo, storedUtxo } from '../../platform/database/stored-json.ts';
import { refText, type UtxoRef } from '../../transactions/rules.ts';
import type { VaultAddress, VaultAddressKind } from '../../vaults/rules/vault.ts';

export const unsolicitedStatuses = ['PRESENT', 'RETURNING', 'RETURNED', 'GONE'] as const;
type UnsolicitedStatus = (typeof unsolicitedStatuses)[number];

/** An output at an address of a vault that no transaction of the vault made. */
export interface UnsolicitedOutput {
  readonly utxo: Utxo;
  readonly place: VaultAddressKind;
  /** The wallet whose deposit address holds it. */
  readonly depositor: string | null;
  readonly status: UnsolicitedStatus;
  readonly seenAt: Instant;
  readonly goneAt: Instant | null;
  readonly returnedAt: Instant | null;
}

interface ScannedAddresses {
  readonly vaultId: string;
  readonly addresses: readonly string[];
}

/** An output, and the address of a vault where a scan found it. */
export interface FoundOutput {
  readonly utxo: Utxo;
  readonly place: VaultAddress;
}

/** The recorded unsolicited outputs at some addresses of a vault as `<hash>#<index>`. */
export async function recordedRefs(db: Db, { vaultId, addresses }: ScannedAddresses): Promise<Set<string>> {
  const rows = await db
    .selectFrom('unsolicited_outputs')
    .select(['tx_hash', 'output_index'])
    .where('vault_id', '=', vaultId)
    .where('address', '=', anyOf(addresses))
    .execute();
  return new Set(rows.map((row) => refText({ txHash: row.tx_hash, index: row.output_index })));
}

export async function insertUnsolicited(
  { tx, now }: TransactionContext,
  vaultId: string,
  found: readonly FoundOutput[],
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
  // Two scans at once find the same outputs.
  await bulkInsert(tx, 'unsolicited_outputs', insertedColumns, rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

const insertedColumns = {
  tx_hash: 'text',
  output_index: 'int',
  vault_id: 'uuid',
  place: 'text',
  depositor: 'text',
  address: 'text',
  lovelace: 'numeric',
  assets: 'jsonb',
  seen_at: 'timestamptz',
} as const;

/**
 * The unsolicited outputs at some addresses that the platform does not return and of which it is not known who spent them; without
 * those that are gone since before a time.
 */
export async function outputsWithoutSpender(
  db: Db,
  { vaultId, addresses }: ScannedAddresses,
  since: Instant,
): Promise<Utxo[]> {
  const rows = await db
    .selectFrom('unsolicited_outputs')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where('address', '=', anyOf(addresses))
    .where((eb) => eb.or([eb('gone_at', 'is', null), eb('gone_at', '>', new Date(since))]))
    .where('gone_hash', 'is', null)
    .where('return_transaction_id', 'is', null)
    .orderBy('tx_hash')
    .orderBy('output_index')
    .execute();
  return rows.map((row) => readUnsolicited(row).utxo);
}

/** Records which transaction spent an unsolicited output; it counts while the output is gone. */
export async function setGoneHash(tx: Transaction, ref: UtxoRef, hash: string): Promise<void> {
  await tx
    .updateTable('unsolicited_outputs')
    .set({ gone_hash: hash })
    .where(isAmong([ref]))
    .execute();
}

/** Records which unsolicited outputs at some addresses are on the ledger at present; a rollback brings spent ones back. */
export async function markPresent(
  { tx, now }: TransactionContext,
  { vaultId, addresses }: ScannedAddresses,
  present: readonly UtxoRef[],
): Promise<void> {
  const isPresent = isAmong(present);
  await tx
    .updateTable('unsolicited_outputs')
    .set({
      gone_at: sql<Date | null>`case when ${isPresent} then null else ${new Date(now)}::timestamptz end`,
      gone_hash: sql<string | null>`case when ${isPresent} then null else gone_hash end`,
    })
    .where('vault_id', '=', vaultId)
    .where('address', '=', anyOf(addresses))
    .where(sql<boolean>`(gone_at is null) <> ${isPresent}`)
    .execute();
}

/** Locks the given unsolicited outputs of a vault until the transaction ends; without those that count as deposits meanwhile. */
export async function lockUnsolicited(
  tx: Transaction,
  vaultId: string,
  refs: readonly UtxoRef[],
): Promise<UnsolicitedOutput[]> {
  const counted = await lockCountedDeposits(tx, refs);
  const rows = await tx
    .selectFrom('unsolicited_outputs')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where(isAmong(refs))
    .orderBy('tx_hash')
    .orderBy('output_index')
    .forUpdate()
    .execute();
  return rows.map(readUnsolicited).filter(({ utxo }) => !counted.has(refText(utxo)));
}

/** Locks the assets that lie in these outputs; returns which outputs, as `<hash>#<index>`, hold one that counts in its vault. */
async function lockCountedDeposits(tx: Transaction, refs: readonly UtxoRef[]): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom('assets')
    .innerJoin('chain_transactions', 'chain_transactions.id', 'assets.add_transaction_id')
    .select(['hash as txHash', 'deposit_index as index', 'status'])
    .where('hash', '=', anyOf(refs.map(({ txHash }) => txHash)))
    .orderBy('assets.id')
    .forUpdate('assets')
    .execute();
  return new Set(rows.filter(({ status }) => status !== 'RELEASED').map(refText));
}

/** Takes an output off the list because it counts as a deposit. Returns false when a transaction returns it: then it stays listed. */
export async function unlist(tx: Transaction, ref: UtxoRef): Promise<boolean> {
  const row = await tx
    .selectFrom('unsolicited_outputs')
    .select('return_transaction_id')
    .where(isAmong([ref]))
    .forUpdate()
    .executeTakeFirst();
  if (row && row.return_transaction_id !== null) return false;
  await tx
    .deleteFrom('unsolicited_outputs')
    .where(isAmong([ref]))
    .execute();
  return true;
}

/**
 * Locks the output of a deposit that never counted, and names who added it; null when there is none to return. One of several at
 * random, so that none keeps the others.
 */
export async function lockDuplicateToReturn(
  tx: Transaction,
  vaultId: string,
): Promise<{ readonly output: UnsolicitedOutput; readonly owner: string } | null> {
  const row = await tx
    .selectFrom('unsolicited_outputs')
    .innerJoin('chain_transactions', 'chain_transactions.hash', 'unsolicited_outputs.tx_hash')
    .innerJoin('assets', (join) =>
      join
        .onRef('assets.add_transaction_id', '=', 'chain_transactions.id')
        .onRef('assets.deposit_index', '=', 'unsolicited_outputs.output_index'),
    )
    .select(['tx_hash as txHash', 'output_index as index', 'assets.added_by as owner'])
    .where('unsolicited_outputs.vault_id', '=', vaultId)
    .where('unsolicited_outputs.place', '=', 'deposit')
    .where('unsolicited_outputs.gone_at', 'is', null)
    .where('unsolicited_outputs.return_transaction_id', 'is', null)
    .where('assets.release_reason', 'in', unsolicitedReasons)
    .orderBy(sql`random()`)
    .limit(1)
    .executeTakeFirst();
  if (!row) return null;
  const [output] = await lockUnsolicited(tx, vaultId, [row]);
  return output?.status === 'PRESENT' ? { output, owner: row.owner } : null;
}

/** Links outputs to the transaction that returns them. */
export async function setReturning(tx: Transaction, refs: readonly UtxoRef[], transactionId: string): Promise<void> {
  await tx
    .updateTable('unsolicited_outputs')
    .set({ return_transaction_id: transactionId })
    .where(isAmong(refs))
    .execute();
}

/** Records whether the transaction that returns them is on the ledger. */
export async function setReturned(tx: Transaction, transactionId: string, returnedAt: Instant | null): Promise<void> {
  await tx
    .updateTable('unsolicited_outputs')
    .set({ returned_at: returnedAt === null ? null : new Date(returnedAt) })
    .where('return_transaction_id', '=', transactionId)
    .execute();
}

/** Unlinks the outputs of a transaction that can no longer return them. */
export async function clearReturning(tx: Transaction, transactionId: string): Promise<void> {
  await tx
    .updateTable('unsolicited_outputs')
    .set({ return_transaction_id: null })
    .where('return_transaction_id', '=', transactionId)
    .execute();
}

function isAmong(refs: readonly UtxoRef[]) {
  return sql<boolean>`((tx_hash, output_index) in (
    select * from unnest(${refs.map(({ txHash }) => txHash)}::text[], ${refs.map(({ index }) => index)}::int[])
  ))`;
}

function readUnsolicited(row: Selectable<UnsolicitedOutputsTable>): UnsolicitedOutput {
  const { tx_hash: txHash, output_index: index, address, lovelace } = row;
  const at = (date: Date | null) => (date === null ? null : instant(date));
  return {
    utxo: readStoredUtxo({ txHash, index, address, lovelace, assets: row.assets }),
    place: row.place,
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

/** An unsolicited output with the fields of other tables that a response needs. */
export interface ListedOutput extends UnsolicitedOutput {
  /** Hash of the transaction that returns it; null while there is none. */
  readonly returnHash: string | null;
}

export interface UnsolicitedFilter {
  readonly vaultId: string;
  readonly place?: VaultAddressKind | undefined;
}

const columns = { seenAt: 'unsolicited_outputs.seen_at', lovelace: 'unsolicited_outputs.lovelace' } as const;

/** A page of a vault's unsolicited outputs, and the total. */
export async function listUnsolicited(
  db: Db,
  { vaultId, place }: UnsolicitedFilter,
  page: Page<keyof typeof columns>,
): Promise<{ outputs: ListedOutput[]; count: PageCount }> {
  const ofVault = db
    .selectFrom('unsolicited_outputs')
    .where('unsolicited_outputs.vault_id', '=', vaultId)
    .where((eb) => eb.and(givenFields({ place })));
  const withReturn = ofVault
    .leftJoin('chain_transactions', 'chain_transactions.id', 'unsolicited_outputs.return_transaction_id')
    .selectAll('unsolicited_outputs')
    .select('chain_transactions.hash as return_hash');
  const order = { columns, tieBreak: ['tx_hash', 'output_index'] };
  const { rows, count } = await readPage(db, withReturn, ofVault, order, page);
  const outputs = rows.map((row) => ({ ...readUnsolicited(row), returnHash: row.return_hash }));
  return { outputs, count };
}
