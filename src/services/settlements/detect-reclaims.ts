import { type Deposit, depositOf } from '../../chain/build/deposits.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import { findTransactionByHash } from '../../store/chain-transactions.ts';
import type { Vault } from '../../store/vaults.ts';
import { findSpendingTransaction, isUnspent } from '../../chain/ledger/find-spending-transaction.ts';
import type { WorkerContext } from '../worker-context.ts';
import type { Reclaim } from './record-reclaims.ts';
import type { StoredDeposit } from '../../store/vault-deposits.ts';

type Context = Pick<WorkerContext, 'db' | 'ledger' | 'networkId' | 'confirmationDepth'>;

/** A deposit with the output that holds it. */
export interface PresentDeposit extends StoredDeposit {
  readonly deposit: Deposit;
}

/** Which deposits are still in the vault, and which their owners have reclaimed. */
export interface DetectedReclaims {
  readonly present: readonly PresentDeposit[];
  readonly reclaims: readonly Reclaim[];
}

/**
 * Looks for deposits that owners have reclaimed, until `limit` deposits are found present. Before T only the vault can move
 * deposits, so the ledger is asked from T on only (design D20). Throws LEDGER_UNAVAILABLE, and while a reclaim is not certain.
 */
export async function detectReclaims(
  context: Context,
  vault: Vault,
  deposits: readonly StoredDeposit[],
  { now, limit }: { now: Instant; limit: number },
): Promise<DetectedReclaims> {
  const present: PresentDeposit[] = [];
  const reclaims: Reclaim[] = [];
  for (const stored of deposits) {
    const deposit = depositOf(stored, vault, context.networkId);
    const transactionHash = now < vault.settlesBy ? null : await findReclaim(context, deposit);
    if (transactionHash === null) present.push({ ...stored, deposit });
    else reclaims.push({ ...stored, transactionHash });
    if (present.length === limit) break;
  }
  return { present, reclaims };
}

/** The reclaimed deposits that are in the vault again, because the ledger was rolled back. Throws LEDGER_UNAVAILABLE. */
export async function detectReturnedDeposits(
  context: Context,
  vault: Vault,
  reclaimed: readonly StoredDeposit[],
): Promise<StoredDeposit[]> {
  const returned: StoredDeposit[] = [];
  for (const stored of reclaimed) {
    const { utxo } = depositOf(stored, vault, context.networkId);
    if (await isUnspent(context, utxo)) returned.push(stored);
  }
  return returned;
}

/**
 * The hash of the final transaction by which an owner has reclaimed a deposit; null while the deposit is there. Throws when
 * the reclaim is not final yet, and when the deposit is not on the ledger at present.
 */
async function findReclaim(context: Context, { utxo }: Pick<Deposit, 'utxo'>): Promise<string | null> {
  if (await isUnspent(context, utxo)) return null;
  const name = `deposit ${refText(utxo)}`;
  const found = await findSpendingTransaction(context, utxo);
  if (found.kind === 'absent') throw new Error(`${name} is not on the ledger at present`);
  if (await findTransactionByHash(context.db, found.spender))
    throw new Error(`${name} was spent by our own transaction ${found.spender}`);
  if (!found.isFinal) throw new Error(`${name} was reclaimed by ${found.spender}, which is not final yet`);
  return found.spender;
}
