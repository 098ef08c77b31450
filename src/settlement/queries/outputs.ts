import { sql } from 'kysely';
import { unsolicitedReasons } from '../../assets/rules/asset.ts';
import type { Unit, Utxo } from '../../cardano/transaction.ts';
import type { FoundOutput } from '../../ledger-follower/queries/unsolicited.ts';
import { anyOf } from '../../platform/database/statements.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { type ChainTransaction, lockTransaction } from '../../transactions/queries/transactions.ts';
import { readStoredUtxo, type StoredUtxo } from '../../platform/database/stored-json.ts';
import {
  isSpendableFromCustody,
  type TransactionKind,
  depositKinds,
  isOnLedger,
  type TransactionState,
  refText,
  type UtxoRef,
} from '../../transactions/rules.ts';

// What transactions of another vault bring is a gift: whoever governs that one could otherwise put outputs into this one that have to move.

/** Those outputs that no transaction of the vault made, whatever its state, and what deposits that never counted have brought (design D16, D42). */
export async function excludeOwnOutputs<Found extends FoundOutput>(
  db: Db,
  vaultId: string,
  found: readonly Found[],
): Promise<Found[]> {
  const utxos = found.map(({ utxo }) => utxo);
  const [kinds, uncounted] = await Promise.all([recordedKinds(db, vaultId, utxos), uncountedDeposits(db, utxos)]);
  return found.filter(({ utxo }) => !kinds.has(utxo.txHash) || uncounted.has(refText(utxo)));
}

/** Those outputs in a vault's custody that the vault can spend: made by its own transactions (design D16), except some kinds. */
export async function vaultSpendableUtxos(db: Db, vaultId: string, inCustody: readonly Utxo[]): Promise<Utxo[]> {
  const kinds = await recordedKinds(db, vaultId, inCustody);
  return inCustody.filter(({ txHash }) => {
    const kind = kinds.get(txHash);
    return kind !== undefined && isSpendableFromCustody(kind);
  });
}

/** Those outputs that transactions of the vault made. */
export async function ownOutputs(db: Db, vaultId: string, utxos: readonly Utxo[]): Promise<Utxo[]> {
  const kinds = await recordedKinds(db, vaultId, utxos);
  return utxos.filter(({ txHash }) => kinds.has(txHash));
}

/**
 * Those outputs at the claims address of a vault that claims can spend: made by transactions of that vault that are on the ledger, and
 * with nothing but its token. What an execution or a hand-over brought counts in the pot once it is final, so that it cannot be spent before.
 */
export async function claimableOutputs(
  db: Db,
  { vaultId, ftUnit }: { readonly vaultId: string; readonly ftUnit: Unit },
  outputs: readonly Utxo[],
): Promise<Utxo[]> {
  const shared = outputs.filter(({ assets }) => [...assets.keys()].every((unit) => unit === ftUnit));
  if (shared.length === 0) return [];
  const rows = await db
    .selectFrom('chain_transactions')
    .select('hash')
    .where('hash', '=', anyOf([...new Set(shared.map(({ txHash }) => txHash))]))
    .where('vault_id', '=', vaultId)
    .where((eb) =>
      eb.or([eb('state', '=', 'final'), eb('state', '=', 'confirmed').and('kind', 'not in', ['execute', 'hand_over'])]),
    )
    .execute();
  const spendable = new Set(rows.map(({ hash }) => hash));
  return shared.filter(({ txHash }) => spendable.has(txHash));
}

/** Those of these outputs, as `<hash>#<index>`, whose asset never counted. */
async function uncountedDeposits(db: Db, utxos: readonly Utxo[]): Promise<ReadonlySet<string>> {
  if (utxos.length === 0) return new Set();
  const rows = await db
    .selectFrom('chain_transactions')
    .innerJoin('assets', 'add_transaction_id', 'chain_transactions.id')
    .select(['hash as txHash', 'deposit_index as index'])
    .where('hash', '=', sql<string>`any(${utxos.map(({ txHash }) => txHash)}::text[])`)
    .where('release_reason', 'in', unsolicitedReasons)
    .execute();
  return new Set(rows.map(refText));
}

/** The kinds of the recorded transactions of a vault that made these outputs, by hash; others are left out. */
async function recordedKinds(
  db: Db,
  vaultId: string,
  utxos: readonly Utxo[],
): Promise<ReadonlyMap<string, TransactionKind>> {
  if (utxos.length === 0) return new Map();
  const hashes = [...new Set(utxos.map(({ txHash }) => txHash))];
  const rows = await db
    .selectFrom('chain_transactions')
    .select(['hash', 'kind'])
    .where('hash', '=', anyOf(hashes))
    .where('vault_id', '=', vaultId)
    .execute();
  return new Map(rows.map(({ hash, kind }) => [hash, kind]));
}

/** Most transactions of a vault: they move what belongs to its users, and never what is at the addresses of the vault itself. */
const kindsOfUsers: readonly TransactionKind[] = [...depositKinds, 'refund', 'stake', 'unstake'];

/** The unspent outputs that transactions of a vault made at an address of the vault itself, as far as the ledger is followed. */
export async function unspentOutputsAt(db: Db, vaultId: string, address: string): Promise<UtxoRef[]> {
  const confirmed = sql`vault_id = ${vaultId} and state in ('confirmed', 'final') and kind <> all (${kindsOfUsers})`;
  const { rows } = await sql<UtxoRef>`
    select hash as "txHash", (made ->> 'index')::int as index
      from chain_transactions cross join lateral jsonb_array_elements(outputs) as made
      where ${confirmed} and made ->> 'address' = ${address}
    except
    select spent ->> 'txHash', (spent ->> 'index')::int
      from chain_transactions cross join lateral jsonb_array_elements(inputs) as spent
      where ${confirmed} and spent ->> 'address' = ${address}`.execute(db);
  return rows;
}

/** What a settlement left at its address, and whether the transaction that left it is in a block. */
interface SettlementOutput {
  readonly output: Utxo;
  readonly kind: 'mint' | 'deliver';
  readonly isOnLedger: boolean;
}

/**
 * Output 0 of the last of the mint and the deliveries that have been confirmed or still may, which no other of them spends. One that was
 * built later need not be later in the chain. A mint of another token than the vault's own is left out: an operator decides about it.
 */
export async function lastSettlementOutput(
  db: Db,
  { id, ftUnit }: { readonly id: string; readonly ftUnit: string },
): Promise<SettlementOutput | null> {
  const { rows } = await sql<{ output: StoredUtxo; kind: SettlementOutput['kind']; state: TransactionState }>`
    with last as materialized (
      select id from chain_transactions made
      where vault_id = ${id} and kind in ('mint', 'deliver') and state not in ('expired', 'failed')
        and (kind = 'deliver' or outputs -> 0 -> 'assets' ? ${ftUnit})
        and not exists (select from utxo_leases held join chain_transactions t on t.id = held.transaction_id
          where held.tx_hash = made.hash and held.output_index = 0 and t.kind = 'deliver' offset 0)
      order by created_at desc, id desc limit 1)
    select outputs -> 0 as output, kind, state from chain_transactions where id in (select id from last)`.execute(db);
  const [row] = rows;
  return row ? { output: readStoredUtxo(row.output), kind: row.kind, isOnLedger: isOnLedger(row.state) } : null;
}

/** Locks the open transactions of a settlement that spend outputs of a transaction. */
export async function lockDependents(
  tx: Transaction,
  { hash }: Pick<ChainTransaction, 'hash'>,
): Promise<ChainTransaction[]> {
  const { rows } = await sql<{ id: string }>`
    select t.id from utxo_leases held join chain_transactions t on t.id = held.transaction_id
    where held.tx_hash = ${hash} and t.kind in ('deliver', 'liquidity') and t.state in ('pending', 'submitted')
    order by t.id`.execute(tx);
  const locked: ChainTransaction[] = [];
  for (const { id } of rows) {
    const dependent = await lockTransaction(tx, id);
    if (dependent?.state === 'pending' || dependent?.state === 'submitted') locked.push(dependent);
  }
  return locked;
}

/** How far the reclaimed deposits of a vault were checked against the ledger. */
interface ReclaimCheck {
  /** The deposit after which the check continues; null when all were checked and no rollback has come since. */
  readonly after: string | null;
  /** The followed block that the check is about. */
  readonly block: { readonly height: number; readonly hash: string };
}

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** The check that is under way or complete; a new one when a rollback has undone the block of the last. Null before the first followed block. */
export async function readReclaimCheck(db: Db, vaultId: string): Promise<ReclaimCheck | null> {
  const { rows } = await sql<{ height: string; hash: string; after: string | null; is_valid: boolean }>`
    select tip.height, tip.hash, done.after, done.vault_id is not null as is_valid
    from (select height, hash from blocks order by height desc limit 1) tip
    left join reclaim_checks done on done.vault_id = ${vaultId}
      and exists (select from blocks where height = block_height and hash = block_hash)`.execute(db);
  const [row] = rows;
  if (!row) return null;
  const block = { height: Number(row.height), hash: row.hash };
  return { after: row.is_valid ? row.after : BEFORE_ALL, block };
}

/** Saves how far a check is, unless its block is no longer on the ledger. */
export async function saveReclaimCheck(
  tx: Transaction,
  vaultId: string,
  { after, block }: ReclaimCheck,
): Promise<void> {
  await sql`insert into reclaim_checks (vault_id, block_height, block_hash, after)
    select ${vaultId}, height, hash, ${after}::uuid from blocks where height = ${block.height} and hash = ${block.hash}
    on conflict (vault_id) do update set block_height = excluded.block_height, block_hash = excluded.block_hash,
      after = excluded.after`.execute(tx);
}

/**
 * Lets a check stand for deposits that are recorded as reclaimed now, as they were found after the follower had `seen` a block. After
 * a rollback since then, the check begins again.
 */
export async function extendReclaimCheck(tx: Transaction, vaultId: string, seen: ReclaimCheck['block']): Promise<void> {
  const isFollowed = sql`exists (select from blocks where height = ${seen.height} and hash = ${seen.hash})`;
  const isValid = sql`exists (select from blocks where height = block_height and hash = block_hash)`;
  await sql`delete from reclaim_checks where vault_id = ${vaultId} and not (${isValid} and ${isFollowed})`.execute(tx);
  await sql`update reclaim_checks set block_height = ${seen.height}, block_hash = ${seen.hash}
    where vault_id = ${vaultId} and block_height < ${seen.height}`.execute(tx);
}
