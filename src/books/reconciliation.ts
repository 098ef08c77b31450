import { setTimeout as pause } from 'node:timers/promises';
import { readVaultBooks } from './queries/holdings.ts';
import {
  nextPlannedVaults,
  endReconciliation,
  insertReconciliation,
  recordCompared,
} from './queries/reconciliations.ts';
import {
  type Difference,
  lastingDifferences,
  type BookOutput,
  type LedgerView,
  type VaultBooks,
} from './rules/books.ts';
import { compareVault } from './rules/compare.ts';
import { ownAddresses } from './statements.ts';
import type { Ledger } from '../cardano/ledger/ledger.ts';
import { limitedLedger } from '../cardano/ledger/limited-ledger.ts';
import type { TransactionUtxos } from '../cardano/ledger/responses.ts';
import { vaultAddresses } from '../cardano/scripts/vault-addresses.ts';
import type { NetworkId } from '../cardano/transaction.ts';
import type { ServiceContext } from '../context.ts';
import { followedTip } from '../ledger-follower/queries/blocks.ts';
import { vaultParticipants } from '../ledger-follower/queries/unsolicited-scan-targets.ts';
import { mapInBatches } from '../platform/async.ts';
import type { Transaction, Db } from '../platform/database/database.ts';
import { type Clock, wallClock, secondsAfter, type Instant } from '../platform/units/time.ts';
import { isOnLedger, refText } from '../transactions/rules.ts';
import { getVault } from '../vaults/queries/vaults.ts';

const PAGE = 20;
/** For one vault, of the hour that its activity has. One that takes longer is told as not compared, and those after it are compared. */
const VAULT_SECONDS = 1200;
/** A vault with more has been damaged as a whole. */
const MAX_DIFFERENCES = 200;

interface RunContext extends ReconcileContext, Pick<ServiceContext, 'db' | 'unitOfWork'> {
  /** Told of each vault that cannot be compared, and why. */
  readonly onNotCompared: (vaultId: string, error: unknown) => void;
}

/** Begins a report; returns its id. */
export function startReconciliation(
  { unitOfWork }: Pick<RunContext, 'unitOfWork'>,
  startedBy: 'schedule' | 'operator',
): Promise<string> {
  return unitOfWork((transaction) => insertReconciliation(transaction, startedBy));
}

/**
 * Compares the next vaults of a report while there is time, and records what differs; returns whether others are left. A vault that
 * cannot be compared is a difference itself. Called again, it continues where it was.
 */
export async function reconcileNextVaults(
  context: RunContext,
  reconciliationId: string,
  isTimeUp: () => boolean = () => false,
  clock: Clock = wallClock,
): Promise<boolean> {
  const { unitOfWork } = context;
  const page = await unitOfWork((transaction) => nextPlannedVaults(transaction, reconciliationId, PAGE));
  for (const [index, planned] of page.entries()) {
    const differences = await differencesOf(context, planned.vaultId, clock);
    await unitOfWork((transaction) =>
      recordCompared(transaction, reconciliationId, planned, differences.slice(0, MAX_DIFFERENCES)),
    );
    if (isTimeUp() && index + 1 < page.length) return true;
  }
  if (page.length === PAGE) return true;
  await unitOfWork((transaction) => endReconciliation(transaction, reconciliationId));
  return false;
}

async function differencesOf(context: RunContext, vaultId: string, clock: Clock): Promise<Difference[]> {
  const end = secondsAfter(clock.now(), VAULT_SECONDS);
  const ledger = limitedLedger(context.ledger, () => {
    if (clock.now() > end) throw new NotComparable(`comparing it takes longer than ${VAULT_SECONDS / 60} minutes`);
  });
  try {
    return await reconcileVault({ ...context, ledger }, vaultId);
  } catch (error) {
    // Without a ledger no vault can be compared: the caller tries again.
    await context.ledger.latestBlock();
    context.onNotCompared(vaultId, error);
    const reason = error instanceof NotComparable ? error.message : 'what it is compared with cannot be read';
    return [{ code: 'VAULT_NOT_COMPARED', subject: vaultId, books: 'not compared', ledger: reason }];
  }
}

interface ReconcileContext {
  /** Reads in one Postgres transaction that sees one instant. */
  readonly snapshot: <T>(read: (tx: Transaction) => Promise<T>) => Promise<T>;
  readonly ledger: Ledger;
  readonly networkId: NetworkId;
  /** Resolves when a block may have come in between. */
  readonly pause: () => Promise<void>;
}

/** Why a vault cannot be compared, in words for its report. */
class NotComparable extends Error {
  override readonly name = 'NotComparable';
}

/** A rollback changes the block of the books while the ledger is read. */
const ATTEMPTS = 3;

/** What the books of a vault and the ledger say differently, twice. */
export async function reconcileVault(context: ReconcileContext, vaultId: string): Promise<Difference[]> {
  const first = await compareOnce(context, vaultId);
  if (first.length === 0) return [];
  await context.pause();
  return lastingDifferences(first, await compareOnce(context, vaultId));
}

async function compareOnce(context: ReconcileContext, vaultId: string): Promise<Difference[]> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (attempt > 1) await context.pause();
    const { books, addresses } = await context.snapshot((tx) => readBooks(context, tx, vaultId));
    const ledger = await readLedger(context.ledger, books, addresses);
    if (ledger) return compareVault(books, ledger);
  }
  throw new NotComparable('the ledger has another history than the one that is followed');
}

/** The books, and the addresses that a scan reads or that hold something. */
async function readBooks({ networkId }: Pick<ReconcileContext, 'networkId'>, tx: Transaction, vaultId: string) {
  const vault = await getVault(tx, vaultId);
  const books = await readVaultBooks(tx, vault, ownAddresses(vault, networkId));
  const participants = await vaultParticipants(tx, vaultId, books.block.time);
  const scanned = vaultAddresses(vault, participants, networkId).map(({ address }) => address);
  const holding = books.outputs.filter(({ isSpent }) => !isSpent).map(({ address }) => address);
  return { books, addresses: [...new Set([...scanned, ...holding])] };
}

/** So many calls at once. */
const CONCURRENT = 4;
/** Outputs and reclaims of others younger than this need not be listed yet: two scans of all vaults (worker/schedules.ts). */
const UNNOTICED_SECONDS = 3600;

type Outputs = Map<string, Awaited<ReturnType<Ledger['utxos']>>[number]>;

/**
 * What the ledger says of some addresses, as it was at the block of the books: what later blocks changed is undone, and what no scan
 * need have found yet. Null when that block is not on the ledger.
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
  const confirmed = await mapInBatches(missing, CONCURRENT, ({ hash }) => ledger.transaction(hash));
  for (const one of confirmed) if (one && one.blockHeight <= block.height) found.set(one.hash, one.blockHeight);
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

/** Reads of one instant, whatever is written meanwhile. */
export function snapshotOf(db: Db): ReconcileContext['snapshot'] {
  return (read) => db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
}

const POLL_MS = 250;

/** Resolves when another block was followed, and after `maxMs` at the latest: the follower may have stopped. */
export async function untilNextBlock(db: Db, maxMs: number): Promise<void> {
  const before = await followedTip(db);
  for (let waitedMs = 0; waitedMs < maxMs; waitedMs += POLL_MS) {
    await pause(POLL_MS);
    if ((await followedTip(db))?.hash !== before?.hash) return;
  }
}
