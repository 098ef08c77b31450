import { type Deposit, depositOf } from '../cardano/build/deposits.ts';
import { mapInBatches } from '../platform/async/map-in-batches.ts';
import type { Instant } from '../platform/units/instant.ts';
import { refText } from '../transactions/rules/utxo-ref.ts';
import type { FollowedBlock } from '../ledger-follower/queries/blocks.ts';
import { findTransactionByHash } from '../transactions/queries/chain-transactions.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { findSpendingTransaction } from '../cardano/ledger/find-spending-transaction.ts';
import type { SearchBudget } from '../cardano/ledger/search-history.ts';
import type { WorkerContext } from '../worker-context.ts';
import type { Reclaim } from './record-reclaims.ts';
import { decodeRows } from '../platform/database/decode-rows.ts';
import type { DepositPages } from './queries/deposit-pages.ts';
import {
  decodeDeposit,
  type DepositRow,
  readDeposit,
  refOf,
  type StoredDeposit,
} from '../assets/queries/vault-deposits.ts';
import type { DepositRef } from '../transactions/queries/transaction-deposits.ts';

type Context = Pick<WorkerContext, 'db' | 'ledger' | 'networkId' | 'confirmationDepth'>;

/** A deposit with the output that holds it. */
export interface PresentDeposit extends StoredDeposit {
  readonly deposit: Deposit;
}

/** Which deposits are still in the vault, and which their owners have reclaimed. */
interface DetectedReclaims {
  readonly present: readonly PresentDeposit[];
  readonly reclaims: readonly Reclaim[];
  /** Those that are not unspent, and of which it is not certain yet who has them; and those whose rows are wrong. */
  readonly uncertain: readonly UncertainDeposit[];
}

/** A deposit of which it is not certain where it is, and why. */
export interface UncertainDeposit {
  readonly stored: DepositRef;
  readonly error: unknown;
}

/** Finding out who spent a deposit takes many calls; after so many, what was found is recorded before the search goes on. */
const MAX_SEARCHED = 10;
/** Transactions that are read for all of them, where the ledger does not name the spender: the preparation of a batch has a minute. */
const MAX_READ = 200;

interface Search {
  readonly now: Instant;
  /** How many deposits have to be found present. */
  readonly limit: number;
  /** The last block that the follower has recorded; it does not see that a transaction in a later one is rolled back. */
  readonly seen: Pick<FollowedBlock, 'height'> | null;
}

/**
 * Looks for deposits that owners have reclaimed, page by page, until `limit` deposits are found present or some reclaims are to be
 * recorded. Before T only the vault can move deposits, so the ledger is asked from T on only (design D20). Throws LEDGER_UNAVAILABLE.
 */
export async function detectReclaims(
  context: Context,
  vault: Vault,
  pages: DepositPages | Iterable<readonly DepositRow[]>,
  { now, limit, seen }: Search,
): Promise<DetectedReclaims> {
  const present: PresentDeposit[] = [];
  const reclaims: Reclaim[] = [];
  const wrong: UncertainDeposit[] = [];
  const uncertain: UncertainDeposit[] = [];
  const searching = { ...context, budget: { left: MAX_READ } };
  const locate = (row: DepositRow) =>
    decodeDeposit(row, () => {
      const stored = readDeposit(row);
      return { stored, deposit: depositOf(stored, vault, context.networkId) };
    });
  for await (const page of pages) {
    const located = decodeRows(page, locate, (error, row) => wrong.push({ stored: refOf(row), error }));
    const unspent = now < vault.settlesBy ? null : await unspentAt(context, located);
    const isPresent = ({ deposit }: { readonly deposit: Deposit }) => unspent?.has(refText(deposit.utxo)) ?? true;
    present.push(...located.filter(isPresent).map(({ stored, deposit }) => ({ ...stored, deposit })));
    for (const { stored, deposit } of located.filter((one) => !isPresent(one))) {
      const isSearched = reclaims.length + uncertain.length < MAX_SEARCHED;
      const found = isSearched ? await findReclaim(searching, deposit, seen) : notSearched(deposit);
      if (typeof found === 'string') reclaims.push({ ...stored, transactionHash: found });
      else uncertain.push({ stored, error: found });
    }
    if (present.length >= limit) break;
    if (reclaims.length + uncertain.length >= MAX_SEARCHED && reclaims.length + present.length > 0) break;
  }
  return { present: present.slice(0, limit), reclaims, uncertain: [...wrong, ...uncertain] };
}

function notSearched({ utxo }: Pick<Deposit, 'utxo'>): Error {
  return new Error(`who spent deposit ${refText(utxo)} is still to be found`);
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
 * The hash of the final transaction by which an owner has reclaimed a deposit that is not unspent. Returns an error when the reclaim
 * is not final yet, and when the deposit is not on the ledger at present. Throws LEDGER_UNAVAILABLE.
 */
async function findReclaim(
  context: Context & { readonly budget: SearchBudget },
  { utxo }: Pick<Deposit, 'utxo'>,
  seen: Search['seen'],
): Promise<string | Error> {
  const name = `deposit ${refText(utxo)}`;
  const found = await findSpendingTransaction(context, utxo);
  if (found.kind === 'unfinished') return notSearched({ utxo });
  if (found.kind === 'absent') return new Error(`${name} is not on the ledger at present`);
  if (await findTransactionByHash(context.db, found.spender))
    return new Error(`${name} was spent by our own transaction ${found.spender}`);
  if (!found.isFinal || found.blockHeight > (seen?.height ?? -1))
    return new Error(`${name} was reclaimed by ${found.spender}, which is not final yet`);
  return found.spender;
}
