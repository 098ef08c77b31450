import { decodeDeposit, type DepositRow, readDeposit, refOf, type StoredDeposit } from '../assets/queries/deposits.ts';
import { type Deposit, depositOf } from '../cardano/build/deposits.ts';
import { findSpendingTransaction, type SearchBudget } from '../cardano/ledger/history.ts';
import { platformEventFields, publish } from '../events/publish.ts';
import { plannedInvestments } from '../investments/queries/quotes.ts';
import type { FollowedBlock } from '../ledger-follower/queries/blocks.ts';
import { mapInBatches } from '../platform/async.ts';
import { decodeRows } from '../platform/database/decode-rows.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import type { Instant } from '../platform/units/time.ts';
import { extendReclaimCheck, readReclaimCheck, saveReclaimCheck } from './queries/outputs.ts';
import { type DepositPages, setReclaimHash, reclaimedDeposits } from './queries/payments.ts';
import { contributorEntitlements, findPlan, storeRevision } from './queries/settlements.ts';
import { releaseDeposits, restoreDeposits } from './release-deposits.ts';
import { requireAsPlanned, type Revision, reviseSettlement } from './rules/distribution.ts';
import { storedContributions } from './settlement-input.ts';
import { findTransactionByHash } from '../transactions/queries/transactions.ts';
import { type DepositRef, paysContributors } from '../transactions/queries/recorded-transactions.ts';
import { refText } from '../transactions/rules.ts';
import { type Vault, lockVaultRow } from '../vaults/queries/vaults.ts';
import type { WorkerContext } from '../worker-context.ts';

type Context = Pick<WorkerContext, 'db' | 'ledger' | 'networkId' | 'confirmationDepth'>;

/** A deposit with the output that holds it. */
export interface UnspentDeposit extends StoredDeposit {
  readonly deposit: Deposit;
}

/** Which deposits are still in the vault, and which their owners have reclaimed. */
interface DetectedReclaims {
  readonly present: readonly UnspentDeposit[];
  readonly reclaims: readonly Reclaim[];
  /** Those that are not unspent, and of which it is not certain yet who has them; and those whose rows are wrong. */
  readonly uncertain: readonly UncertainDeposit[];
}

/** A deposit of which it is not certain where it is, and why. */
export interface UncertainDeposit {
  readonly stored: DepositRef;
  readonly error: unknown;
}

/** Finding out who spent a deposit takes many calls; after so many, what was found is recorded before the search continues. */
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
 * recorded. Before T only the vault can move deposits, so the ledger is asked from T on only (design D20).
 */
export async function detectReclaims(
  context: Context,
  vault: Vault,
  pages: DepositPages | Iterable<readonly DepositRow[]>,
  { now, limit, seen }: Search,
): Promise<DetectedReclaims> {
  const present: UnspentDeposit[] = [];
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

/** The reclaimed deposits that are in the vault again, because the ledger was rolled back. */
async function detectReturnedDeposits(
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
 * is not final yet, and when the deposit is not on the ledger at present.
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

/** A deposit that its owner has reclaimed alone after T, by a transaction of their own (design D20). */
interface Reclaim extends DepositRef {
  readonly owner: string;
  readonly transactionHash: string;
}

/** Reclaims, and the last block that the follower had recorded before they were found. */
interface FoundReclaims {
  readonly reclaims: readonly Reclaim[];
  readonly seen: Pick<FollowedBlock, 'height' | 'hash'> | null;
}

/** Records reclaimed deposits, and revises a settlement that is under way. */
export async function recordReclaims(
  context: TransactionContext,
  vaultId: string,
  { reclaims, seen }: FoundReclaims,
): Promise<void> {
  const vault = await lockVaultRow(context.tx, vaultId);
  await releaseDeposits(context, reclaims, 'reclaimed');
  for (const reclaim of reclaims) {
    await setReclaimHash(context.tx, reclaim, reclaim.transactionHash);
    await publishDeposit(context, 'DEPOSIT_RECLAIMED', vaultId, reclaim, reclaim.transactionHash);
  }
  if (seen) await extendReclaimCheck(context.tx, vaultId, seen);
  await reviseEntitlements(context, vault, reclaims);
}

/** Undoes `recordReclaims` for deposits that are in the vault again, because the ledger was rolled back. */
async function undoReclaims(
  context: TransactionContext,
  vaultId: string,
  deposits: readonly Omit<Reclaim, 'transactionHash'>[],
): Promise<void> {
  const vault = await lockVaultRow(context.tx, vaultId);
  await restoreDeposits(context, deposits);
  for (const deposit of deposits) await publishDeposit(context, 'DEPOSIT_RECLAIM_ROLLED_BACK', vaultId, deposit, null);
  await reviseEntitlements(context, vault, deposits);
}

async function publishDeposit(
  context: TransactionContext,
  type: 'DEPOSIT_RECLAIMED' | 'DEPOSIT_RECLAIM_ROLLED_BACK',
  vaultId: string,
  { depositId, depositKind, owner }: Omit<Reclaim, 'transactionHash'>,
  transactionHash: string | null,
): Promise<void> {
  const source = { ...platformEventFields(vaultId), actor: owner, transactionHash };
  await publish(context, { event: { type, ...source, data: { depositId, depositKind } } });
}

/** So many reclaimed deposits are checked before that is saved. */
const PAGE = 50;

/**
 * Undoes the reclaims that the ledger has rolled back. Each is checked once, and again after a rollback; how far that is, is saved. An
 * investment that returns after contributors were paid by a revised settlement stays where it is, and remains its owner's.
 */
export async function undoRolledBackReclaims(
  context: Pick<WorkerContext, 'db' | 'unitOfWork' | 'ledger' | 'networkId' | 'confirmationDepth'>,
  vault: Vault,
  now: Instant,
): Promise<void> {
  const { db, unitOfWork } = context;
  if (now < vault.settlesBy) return;
  for (;;) {
    const check = await readReclaimCheck(db, vault.id);
    if (check === null || check.after === null) return;
    const page = await reclaimedDeposits(db, vault.id, { after: check.after, limit: PAGE });
    const returned = await detectReturnedDeposits(context, vault, page);
    const counted = (await paysContributors(db, vault.id))
      ? returned.filter(({ depositKind }) => depositKind === 'asset')
      : returned;
    const after = page.length < PAGE ? null : (page.at(-1)?.depositId ?? null);
    await unitOfWork(async (transaction) => {
      if (counted.length > 0) await undoReclaims({ ...transaction, now }, vault.id, counted);
      await saveReclaimCheck(transaction.tx, vault.id, { after, block: check.block });
    });
  }
}

/**
 * Distributes the ADA of a settlement again after an investment was reclaimed or returned; the planned FT stay (decision of
 * 2026-11-21).
 */
async function reviseEntitlements(
  context: TransactionContext,
  vault: Vault,
  changed: readonly DepositRef[],
): Promise<void> {
  const { tx } = context;
  if (vault.failedBecause !== null || changed.every(({ depositKind }) => depositKind === 'asset')) return;
  const contributors = await contributorEntitlements(tx, vault.id);
  const { planned, kept, reclaimed } = await plannedInvestments(tx, vault.id);
  const contributions = await storedContributions(tx, vault, contributors);
  requireAsPlanned(await findPlan(tx, vault.id), contributions, planned);
  const shares = contributors.map(({ depositId: id, lovelace }) => ({ id, lovelace }));
  const revision = reviseSettlement(shares, { ...vault.terms, contributors: contributions }, kept);
  await storeRevision(context, vault.id, reclaimed.length === 0 ? null : revision);
  await publishRevision(context, vault.id, reclaimed, revision);
}

async function publishRevision(
  context: TransactionContext,
  vaultId: string,
  reclaimed: readonly string[],
  { invested, lpLovelace, contributorsLovelace, contributors }: Revision,
): Promise<void> {
  const data = {
    reclaimedInvestments: reclaimed,
    invested: invested.toString(),
    lpLovelace: lpLovelace.toString(),
    contributorsLovelace: contributorsLovelace.toString(),
    contributors: contributors.map(({ id, lovelace }) => ({ assetId: id, lovelace: lovelace.toString() })),
  };
  const event = { type: 'SETTLEMENT_REVISED', ...platformEventFields(vaultId), transactionHash: null, data } as const;
  await publish(context, { event });
}
