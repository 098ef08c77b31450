import type { SlotAnchor } from '../cardano/ledger/slots.ts';
import type { BuiltTransaction } from '../cardano/transaction.ts';
import type { Instant } from '../platform/units/time.ts';
import { hasEnded, type TransactionKind, type Cosigners, platformSignature } from './rules.ts';
import type { ChainTransaction } from './queries/transactions.ts';
import { type NewChainTransaction, recordTransaction } from './queries/recorded-transactions.ts';
import { endedTransactions, vaultTransactions } from './queries/listed-transactions.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import type { Prepared } from '../platform/temporal/activity-types.ts';
import { transactionWorkflowId, vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { startTransactionWorkflow } from './record-transaction.ts';
import type { ServiceContext } from '../context.ts';
import { findConfirmed } from '../ledger-follower/record-blocks.ts';
import type { WorkerContext } from '../worker-context.ts';
import { deadlineAt } from '../cardano/ledger/http.ts';

/** The vault's latest transaction of a kind, unless it has expired or failed; null when there is none. */
export async function liveTransaction(
  { db }: Pick<ServiceContext, 'db'>,
  vaultId: string,
  kind: TransactionKind,
): Promise<ChainTransaction | null> {
  return latestLive(await vaultTransactions(db, vaultId, [kind]), kind);
}

/** The latest transaction of a kind, unless it has expired or failed. */
export function latestLive(transactions: readonly ChainTransaction[], kind: TransactionKind): ChainTransaction | null {
  const ofKind = transactions.filter((transaction) => transaction.kind === kind);
  // One that was given up may have been confirmed before the one that replaced it could.
  const latest = ofKind.findLast(({ state }) => !hasEnded(state));
  return latest ?? null;
}

/** Hundreds may have ended, and the activity that asks about them has a minute. */
const ASKED_AT_ONCE = 10;

interface VaultTransaction {
  readonly kind: TransactionKind;
  readonly vault: Pick<Vault, 'id'>;
  /** Or how to build it in the database transaction that records it. */
  readonly built: BuiltTransaction | ((tx: Transaction) => Promise<BuiltTransaction>);
  readonly anchor: SlotAnchor;
  readonly now: Instant;
  /** Registered cosigners who have to sign it before the platform does; none unless given. */
  readonly cosigners?: Cosigners | null;
}

/**
 * Records, in a unit of work of its own, a transaction that the workflow of a vault has signed and submitted; `insertRows` adds
 * what belongs to it. Throws when another transaction has taken an input meanwhile: the caller builds it again. Throws too when
 * the ledger knows one that was given up and that this one replaces (design D45).
 */
export async function recordPlatformTransaction(
  context: WorkerContext,
  { kind, vault, built, anchor, now, cosigners = null }: VaultTransaction,
  insertRows?: (tx: Transaction, transactionId: string) => Promise<void>,
): Promise<Prepared> {
  const { unitOfWork, ids } = context;
  await requireNoneConfirmed(context, vault, kind);
  const id = ids.next();
  const source = { id, kind, vaultId: vault.id, wallet: null };
  await unitOfWork(async (transaction) => {
    const builtNow = typeof built === 'function' ? await built(transaction.tx) : built;
    const { expiresAt } = deadlineAt(anchor, builtNow.ttlSlot);
    const signing = signingOf(id, vault, builtNow, cosigners);
    const record = { ...source, ...signing, expiresAt, built: builtNow };
    const outcome = await recordTransaction({ ...transaction, now }, record);
    if (outcome === 'inputs held') throw new Error(`another transaction has taken an input of the ${kind} transaction`);
    if (outcome === 'known') throw new Error(`the ${kind} transaction ${builtNow.hash} was recorded before`);
    await insertRows?.(transaction.tx, id);
    if (cosigners) await startTransactionWorkflow({ ...transaction, now }, source);
  });
  return { transactionId: id };
}

/** Who signs: the platform alone, or cosigners first, whose signatures a workflow of the transaction's own awaits. */
function signingOf(
  id: string,
  vault: Pick<Vault, 'id'>,
  { requiredSigners }: BuiltTransaction,
  cosigners: Cosigners | null,
): Pick<NewChainTransaction, 'ownerWorkflow' | 'signer' | 'platformSigners' | 'cosigners'> {
  const ofPlatform = requiredSigners.filter((key) => !cosigners?.keyHashes.includes(key));
  const ownerWorkflow = cosigners ? transactionWorkflowId(id) : vaultWorkflowId(vault.id);
  return { ownerWorkflow, ...platformSignature(ofPlatform, cosigners) };
}

async function requireNoneConfirmed(
  context: WorkerContext,
  { id }: Pick<Vault, 'id'>,
  kind: TransactionKind,
): Promise<void> {
  const ended = await endedTransactions(context.db, id, kind);
  for (let first = 0; first < ended.length; first += ASKED_AT_ONCE)
    await Promise.all(
      ended.slice(first, first + ASKED_AT_ONCE).map(async (earlier) => {
        if (await findConfirmed(context, earlier))
          throw new Error(`${kind} transaction ${earlier.hash} is on the ledger: nothing replaces it`);
      }),
    );
}
