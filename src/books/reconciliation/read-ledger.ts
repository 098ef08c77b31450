import type { Ledger } from '../../cardano/ledger/ledger.ts';
import type { TransactionUtxos } from '../../cardano/ledger/responses.ts';
import { mapInBatches } from '../../platform/async/map-in-batches.ts';
import type { BookOutput, LedgerView, VaultBooks } from '../rules/books.ts';
import { isOnLedger } from '../../transactions/rules/transaction-state.ts';
import { refText } from '../../transactions/rules/utxo-ref.ts';
import { type Instant, secondsAfter } from '../../platform/units/instant.ts';

/** So many calls at once. */
const CONCURRENT = 4;
/** Outputs and reclaims of others younger than this need not be listed yet: two scans of all vaults (worker/schedules.ts). */
const UNNOTICED_SECONDS = 3600;

type Outputs = Map<string, Awaited<ReturnType<Ledger['utxos']>>[number]>;

/**
 * What the ledger says of some addresses, as it was at the block of the books: what later blocks changed is undone, and what no scan
 * need have found yet. Null when that block is not on the ledger. Throws LEDGER_UNAVAILABLE.
 */
export async function readLedger(
  ledger: Ledger,
  books: VaultBooks,
  addresses: readonly string[],
): Promise<LedgerView | null> {
  const { block, vault } = books;
  const unspent = await mapInBatches(addresses, CONCURRENT, (address) => ledger.utxos(address));
  const outputs: Outputs = new Map(unspent.flat().map((utxo) => [refText(utxo), utxo]));
  // Read after the outputs: what changed them in between is in the histories.
  const all = new Map((await mapInBatches(addresses, CONCURRENT, (address) => historyOf(ledger, address))).flat());
  const later = [...all].filter(([, height]) => height > block.height).map(([hash]) => hash);
  const own = new Set(addresses);
  undo(outputs, await mapInBatches(later, CONCURRENT, (hash) => utxosOf(ledger, hash)), own);
  const transactions = new Map([...all].filter(([, height]) => height <= block.height));
  await addElsewhere(ledger, books, transactions);
  const { unknownSpenders, unnoticed } = await readUnknown(ledger, books, transactions);
  undo(outputs, unnoticed, own);
  for (const { hash } of unnoticed) transactions.delete(hash);
  for (const utxos of await readHalfNoticed(ledger, books, transactions)) undoUnknown(outputs, utxos, books);
  const ftSupply = vault.ftUnit === null ? null : await ledger.assetSupply(vault.ftUnit);
  const isSameHistory = (await ledger.block(block.height))?.hash === block.hash;
  return isSameHistory ? { outputs, transactions, later: new Set(later), unknownSpenders, ftSupply } : null;
}

async function historyOf(ledger: Ledger, address: string): Promise<[string, number][]> {
  const found: [string, number][] = [];
  for await (const { txHash, blockHeight } of ledger.addressTransactions(address)) found.push([txHash, blockHeight]);
  return found;
}

/** Removes what these transactions made, and puts back what they spent at the addresses. */
function undo(outputs: Outputs, transactions: readonly TransactionUtxos[], addresses: ReadonlySet<string>): void {
  const spent = transactions.flatMap(({ inputs }) => inputs);
  for (const input of spent) if (addresses.has(input.address)) outputs.set(refText(input), input);
  const undone = new Set(transactions.map(({ hash }) => hash));
  for (const [ref, { txHash }] of outputs) if (undone.has(txHash)) outputs.delete(ref);
}

async function utxosOf(ledger: Ledger, hash: string): Promise<TransactionUtxos> {
  return (await ledger.transactionUtxos(hash)) ?? { hash, inputs: [], outputs: [] };
}

/** Adds the recorded transactions that touch none of the addresses. */
async function addElsewhere(
  ledger: Ledger,
  { transactions, block }: VaultBooks,
  found: Map<string, number>,
): Promise<void> {
  const missing = transactions.filter(({ hash, state }) => isOnLedger(state) && !found.has(hash));
  const landed = await mapInBatches(missing, CONCURRENT, ({ hash }) => ledger.transaction(hash));
  for (const one of landed) if (one && one.blockHeight <= block.height) found.set(one.hash, one.blockHeight);
}

/**
 * Of the transactions of which the books have neither themselves nor an output, those that spend an output which the books have, and
 * those that no scan need have found.
 */
async function readUnknown(
  ledger: Ledger,
  { vault, transactions, outputs, block }: VaultBooks,
  found: ReadonlyMap<string, number>,
): Promise<Pick<LedgerView, 'unknownSpenders'> & { readonly unnoticed: readonly TransactionUtxos[] }> {
  const known = new Set(transactions.map(({ hash }) => hash));
  for (const { txHash, spender } of outputs) known.add(txHash).add(spender ?? txHash);
  const byRef = new Map(outputs.map((output) => [output.ref, output]));
  const unknownSpenders = new Map<string, readonly string[]>();
  const unnoticed: TransactionUtxos[] = [];
  const unknown = [...found].filter(([hash]) => !known.has(hash));
  await mapInBatches(unknown, CONCURRENT, async ([hash, height]) => {
    const [utxos, made] = await Promise.all([utxosOf(ledger, hash), ledger.block(height)]);
    const spent = utxos.inputs.flatMap((input) => byRef.get(refText(input)) ?? []);
    const mayBeUnnoticed = made !== null && isYoung(made.time, block.time);
    if (mayBeUnnoticed && spent.every((output) => mayOwnerSpend(output, vault.settlesBy, made.time)))
      unnoticed.push(utxos);
    else if (spent.length > 0)
      unknownSpenders.set(
        hash,
        spent.map(({ ref }) => ref),
      );
  });
  return { unknownSpenders, unnoticed };
}

/**
 * Those of owners of which scans have found a part only, and need not have found the rest: one that takes several deposits back is found
 * deposit by deposit.
 */
async function readHalfNoticed(
  ledger: Ledger,
  { vault, transactions, outputs, block }: VaultBooks,
  found: ReadonlyMap<string, number>,
): Promise<TransactionUtxos[]> {
  const recorded = new Set(transactions.map(({ hash }) => hash));
  const named = new Set(outputs.flatMap(({ txHash, spender }) => [txHash, spender ?? txHash]));
  const unspent = new Map(outputs.filter(({ isSpent }) => !isSpent).map((output) => [output.ref, output]));
  const newestFirst = [...found].toSorted(([, one], [, other]) => other - one);
  const half: TransactionUtxos[] = [];
  for (const [hash, height] of newestFirst) {
    if (recorded.has(hash) || !named.has(hash)) continue;
    const made = await ledger.block(height);
    if (made === null || !isYoung(made.time, block.time)) break;
    const utxos = await utxosOf(ledger, hash);
    const spent = utxos.inputs.flatMap((input) => unspent.get(refText(input)) ?? []);
    if (spent.every((output) => mayOwnerSpend(output, vault.settlesBy, made.time))) half.push(utxos);
  }
  return half;
}

/** Undoes what a transaction has spent and made as far as the books do not say it. */
function undoUnknown(outputs: Outputs, { hash, inputs }: TransactionUtxos, books: VaultBooks): void {
  const known = new Map(books.outputs.map((output) => [output.ref, output]));
  for (const input of inputs) if (known.get(refText(input))?.isSpent === false) outputs.set(refText(input), input);
  for (const [ref, { txHash }] of outputs) if (txHash === hash && !known.has(ref)) outputs.delete(ref);
}

function isYoung(made: Instant, now: Instant): boolean {
  return made > secondsAfter(now, -UNNOTICED_SECONDS);
}

/** Whether a block of this time can have an owner's transaction that spends an output: all others need a key of the vault, and are recorded first. */
function mayOwnerSpend({ place }: BookOutput, settlesBy: Instant, at: Instant): boolean {
  return place === 'stake' || (place === 'deposit' && at >= settlesBy);
}
