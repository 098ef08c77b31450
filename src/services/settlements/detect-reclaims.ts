import { type Deposit, depositOf } from '../../chain/build/deposits.ts';
import { mapInBatches } from '../../domain/map-in-batches.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import { findTransactionByHash } from '../../store/chain-transactions.ts';
import type { Vault } from '../../store/vaults.ts';
import { findSpendingTransaction } from '../../chain/ledger/find-spending-transaction.ts';
import type { WorkerContext } from '../worker-context.ts';
import type { Reclaim } from './record-reclaims.ts';
import type { StoredDeposit } from '../../store/vault-deposits.ts';

type Context = Pick<WorkerContext, 'db' | 'ledger' | 'networkId' | 'confirmationDepth'>;

/** A deposit with the output that holds it. */
export interface PresentDeposit extends StoredDeposit {
  readonly deposit: Deposit;
}

/** Which deposits are still in the vault, and which their owners have reclaimed. */
interface DetectedReclaims {
  readonly present: readonly PresentDeposit[];
  readonly reclaims: readonly Reclaim[];
}

/** Finding out who spent a deposit takes many calls; after so many, what was found is recorded before the search goes on. */
const MAX_RECLAIMS = 10;

/**
 * Looks for deposits that owners have reclaimed, until `limit` deposits are found present or some reclaims are to be recorded. Before
 * T only the vault can move deposits, so the ledger is asked from T on only (design D20). Throws LEDGER_UNAVAILABLE, and while a
 * reclaim is not certain.
 */
export async function detectReclaims(
  context: Context,
  vault: Vault,
  deposits: readonly StoredDeposit[],
  { now, limit }: { now: Instant; limit: number },
): Promise<DetectedReclaims> {
  const present: PresentDeposit[] = [];
  const reclaims: Reclaim[] = [];
  for (let from = 0; from < deposits.length; from += limit) {
    const located = deposits.slice(from, from + limit).map((stored) => {
      return { stored, deposit: depositOf(stored, vault, context.networkId) };
    });
    const unspent = now < vault.settlesBy ? null : await unspentAt(context, located);
    for (const { stored, deposit } of located) {
      if (unspent === null || unspent.has(refText(deposit.utxo))) present.push({ ...stored, deposit });
      else reclaims.push({ ...stored, transactionHash: await findReclaim(context, deposit) });
      if (present.length === limit || reclaims.length === MAX_RECLAIMS) return { present, reclaims };
    }
  }
  return { present, reclaims };
}

/** The reclaimed deposits that are in the vault again, because the ledger was rolled back. Throws LEDGER_UNAVAILABLE. */
export async function detectReturnedDeposits(
  context: Context,
  vault: Vault,
  reclaimed: readonly StoredDeposit[],
): Promise<StoredDeposit[]> {
  const located = reclaimed.map((stored) => ({ stored, deposit: depositOf(stored, vault, context.networkId) }));
  const unspent = await unspentAt(context, located);
  return located.filter(({ deposit }) => unspent.has(refText(deposit.utxo))).map(({ stored }) => stored);
}

/** So many addresses are read together. */
const CONCURRENT = 10;

/** The unspent outputs at the addresses of deposits; each address is read once, however many deposits it holds. */
async function unspentAt(
  { ledger }: Pick<Context, 'ledger'>,
  located: readonly { readonly deposit: Deposit }[],
): Promise<ReadonlySet<string>> {
  const addresses = [...new Set(located.map(({ deposit }) => deposit.utxo.address))];
  const outputs = await mapInBatches(addresses, CONCURRENT, (address) => ledger.utxos(address));
  return new Set(outputs.flat().map(refText));
}

/**
 * The hash of the final transaction by which an owner has reclaimed a deposit that is not unspent. Throws when the reclaim is not
 * final yet, and when the deposit is not on the ledger at present.
 */
async function findReclaim(context: Context, { utxo }: Pick<Deposit, 'utxo'>): Promise<string> {
  const name = `deposit ${refText(utxo)}`;
  const found = await findSpendingTransaction(context, utxo);
  if (found.kind === 'absent') throw new Error(`${name} is not on the ledger at present`);
  if (await findTransactionByHash(context.db, found.spender))
    throw new Error(`${name} was spent by our own transaction ${found.spender}`);
  if (!found.isFinal) throw new Error(`${name} was reclaimed by ${found.spender}, which is not final yet`);
  return found.spender;
}
