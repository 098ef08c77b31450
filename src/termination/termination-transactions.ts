import type { Payer } from '../cardano/build/funding.ts';
import { COSIGNING_SECONDS, platformTtlSlot } from '../cardano/ledger/http.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import type { BuiltTransaction } from '../cardano/transaction.ts';
import { type TransactionKind, type Cosigners, isOnLedger } from '../transactions/rules.ts';
import type { Instant } from '../platform/units/time.ts';
import type { Transaction } from '../platform/database/database.ts';
import { isVaultInQuarantine } from '../ledger-follower/queries/quarantine.ts';
import { findTermination } from './queries/terminations.ts';
import { isAnySent, vaultTransactions } from '../transactions/queries/listed-transactions.ts';
import { getVault, lockVaultRow, type Vault } from '../vaults/queries/vaults.ts';
import type { Prepared } from '../platform/temporal/activity-types.ts';
import { buildWithOperatorFunds } from '../operations/operator-funds.ts';
import { latestLive, recordPlatformTransaction } from '../transactions/platform-transactions.ts';
import type { WorkerContext } from '../worker-context.ts';

export interface VaultActivityInput {
  readonly vaultId: string;
  readonly now: Instant;
}

interface Drafted {
  readonly build: (chain: NetworkState, operator: Payer, ttlSlot: number) => BuiltTransaction;
  /** Registered cosigners who have to sign it, because it spends from custody; none unless given. */
  readonly cosigners?: Cosigners | null;
  /** Adds what belongs to the transaction. */
  readonly insertRows?: (tx: Transaction, transactionId: string) => Promise<void>;
}

/**
 * Returns the transaction of a step that is under way, or builds and records the next one from what `draft` reads; null when there is
 * nothing left to do. `requireStill` throws when it must not be recorded any more.
 */
export async function prepareStep(
  context: WorkerContext,
  { vaultId }: VaultActivityInput,
  kind: TransactionKind,
  draft: (vault: Vault) => Promise<Drafted | null>,
  requireStill: (tx: Transaction, vaultId: string) => Promise<void> = () => Promise.resolve(),
): Promise<Prepared | null> {
  const earlier = await vaultTransactions(context.db, vaultId, [kind]);
  const live = latestLive(earlier, kind);
  if (live && !isOnLedger(live.state)) return { transactionId: live.id };
  // Whoever asked may have waited for a worker: it has to live as long from now on.
  const now = await context.readingTime();
  const [vault, chain] = await Promise.all([getVault(context.db, vaultId), context.networkState()]);
  const drafted = await draft(vault);
  if (drafted === null) return null;
  const { cosigners = null } = drafted;
  const ttlSlot = platformTtlSlot(chain.anchor, now, null, cosigners ? { seconds: COSIGNING_SECONDS } : undefined);
  if (ttlSlot === null) return null;
  // What cosigners do not sign holds the operator's outputs for as long as it is valid.
  const paysWithSmallest = cosigners !== null;
  const build = await buildWithOperatorFunds(context, kind, earlier, (operator) =>
    drafted.build(chain, { ...operator, paysWithSmallest }, ttlSlot),
  );
  const built = async (tx: Transaction) => {
    const transaction = await build(tx);
    await requireStill(tx, vaultId);
    return transaction;
  };
  const record = { kind, vault, built, anchor: chain.anchor, now, cosigners };
  return recordPlatformTransaction(context, record, drafted.insertRows);
}

/** As `prepareStep`, for the end of a vault. */
export function prepareEndingStep(
  context: WorkerContext,
  input: VaultActivityInput,
  kind: TransactionKind,
  draft: (vault: Vault) => Promise<Drafted | null>,
): Promise<Prepared | null> {
  return prepareStep(context, input, kind, draft, requireEnding);
}

/**
 * Throws when the end was taken back since it was read, or may be: until the claims are open, no execution was sent that is not final. The row
 * lock decides whether that or the transaction was first (take-back-termination.ts).
 */
async function requireEnding(tx: Transaction, vaultId: string): Promise<void> {
  await lockVaultRow(tx, vaultId);
  const termination = await findTermination(tx, vaultId);
  if (termination === null) throw new Error(`vault ${vaultId} does not end any more`);
  if (termination.claimsOpenedAt === null && (await isAnySent(tx, vaultId, ['execute'])))
    throw new Error(`an execution of vault ${vaultId} is not final any more`);
}

/**
 * Throws while an effect of a transaction of the vault is in quarantine: what the platform counts is not what is on the ledger then.
 * The workflow shows it, and tries again.
 */
export async function requireNoQuarantine({ db }: WorkerContext, { id }: Vault): Promise<void> {
  if (await isVaultInQuarantine(db, id)) throw new Error(`an effect of a transaction of vault ${id} is in quarantine`);
}

export async function isAnyOnLedger({ db }: WorkerContext, { id }: Vault, kind: TransactionKind): Promise<boolean> {
  return (await vaultTransactions(db, id, [kind])).some(({ state }) => isOnLedger(state));
}
