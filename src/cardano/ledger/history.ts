import type { Ledger } from './ledger.ts';
import type { Utxo } from '../transaction.ts';
import { evictOldest } from '../../platform/async.ts';
import { refText } from '../../transactions/rules.ts';

/** An output, and the address whose history has the transaction that spent it. */
type Output = Pick<Utxo, 'txHash' | 'index' | 'address'>;

/** How many transactions may still be read. Anybody can send to an address, so its history has no bound of its own. */
export interface SearchBudget {
  left: number;
}

/** Each is a call to the ledger: some 20 seconds of the minute that most activities have. */
const MAX_READ = 200;

/** A transaction of the address, or the one that spent the output. */
interface Spender {
  readonly txHash: string;
  readonly blockHeight: number;
}

/** Whether a transaction spends an output. */
async function spends(ledger: Ledger, txHash: string, output: Output): Promise<boolean> {
  const utxos = await ledger.transactionUtxos(txHash);
  return utxos?.inputs.some((input) => refText(input) === refText(output)) === true;
}

/** How far back a search is. */
interface Reached {
  /** Later blocks are done. */
  readonly blockHeight: number;
  /** What is done of this block. */
  readonly hashes: ReadonlySet<string>;
}

/**
 * The unfinished searches of each client of a ledger, by output. They are not stored: a process that begins again repeats at most what it
 * had done, and a wrong row could hide a spender.
 */
const unfinished = new WeakMap<Ledger, Map<string, Reached>>();
/** Of more, the longest-known begin again. */
const MAX_UNFINISHED = 1_000;

/**
 * Reads back from where the last call has ended. The output was spent by then already, unless by a transaction that was rolled back: a
 * search that ends without a spender is forgotten, and the next one begins at the newest block.
 */
async function searchHistory(
  { ledger, budget = { left: MAX_READ } }: { readonly ledger: Ledger; readonly budget?: SearchBudget },
  output: Output,
): Promise<Spender | 'absent' | 'unfinished'> {
  const search = searchOf(ledger, output);
  for await (const found of ledger.addressTransactions(output.address, search.reached()?.blockHeight)) {
    if (found.txHash === output.txHash) break;
    if (isDone(search.reached(), found)) continue;
    if (budget.left <= 0) return 'unfinished';
    budget.left -= 1;
    if (await spends(ledger, found.txHash, output)) {
      search.end();
      return found;
    }
    // Before the next call to the ledger, which may fail or take more time than the caller has.
    search.moveOn(found);
  }
  search.end();
  return 'absent';
}

function searchOf(ledger: Ledger, output: Output) {
  const searches = unfinished.get(ledger) ?? new Map<string, Reached>();
  unfinished.set(ledger, searches);
  const name = refText(output);
  return {
    reached: () => searches.get(name),
    moveOn({ txHash, blockHeight }: Spender): void {
      const before = searches.get(name);
      const ofBlock = before?.blockHeight === blockHeight ? before.hashes : [];
      searches.set(name, { blockHeight, hashes: new Set([...ofBlock, txHash]) });
      evictOldest(searches, MAX_UNFINISHED);
    },
    end: () => searches.delete(name),
  };
}

/** A ledger may also list blocks that it was not asked for. */
function isDone(reached: Reached | undefined, { txHash, blockHeight }: Spender): boolean {
  if (reached === undefined) return false;
  return blockHeight > reached.blockHeight || (blockHeight === reached.blockHeight && reached.hashes.has(txHash));
}

interface Context {
  readonly ledger: Ledger;
  /** Blocks after which a transaction is final. */
  readonly confirmationDepth: number;
  /** Shared by several searches; each has its own unless it is given. */
  readonly budget?: SearchBudget;
}

/** The status of an output that is not unspent: not on the ledger at present, spent, or to be searched for further by the next call. */
type OutputStatus =
  | { readonly kind: 'absent' }
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'spent'; readonly spender: string; readonly blockHeight: number; readonly isFinal: boolean };

/** Whether an output is on the ledger and unspent. */
export async function isUnspent({ ledger }: Pick<Context, 'ledger'>, output: Output): Promise<boolean> {
  const unspent = await ledger.utxos(output.address);
  return unspent.some((candidate) => refText(candidate) === refText(output));
}

/**
 * Finds the transaction that has spent an output. Where the ledger does not name it, this reads the history of the address back to the
 * transaction that made the output, a part at a time: an unfinished search continues where it was when it is called again. Callers check
 * first what they can know otherwise.
 */
export async function findSpendingTransaction(context: Context, output: Output): Promise<OutputStatus> {
  const { ledger, confirmationDepth } = context;
  // If the transaction that made the output is not on the ledger, the search would have no end.
  const made = await ledger.transactionUtxos(output.txHash);
  if (made === null) return { kind: 'absent' };
  const named = made.outputs.find(({ index }) => index === output.index)?.spentBy ?? null;
  const found = (await confirmSpender(ledger, named, output)) ?? (await searchHistory(context, output));
  if (typeof found === 'string') return { kind: found };
  const tip = await ledger.latestBlock();
  const isFinal = found.blockHeight <= tip.height - confirmationDepth + 1;
  return { kind: 'spent', spender: found.txHash, blockHeight: found.blockHeight, isFinal };
}

/** The transaction that the ledger names as the spender, if it is one; not every ledger names it. */
async function confirmSpender(ledger: Ledger, txHash: string | null, output: Output): Promise<Spender | null> {
  if (txHash === null || !(await spends(ledger, txHash, output))) return null;
  const found = await ledger.transaction(txHash);
  return found && { txHash, blockHeight: found.blockHeight };
}
