import type { BuiltTransaction } from '../src/chain/transaction.ts';
import { instantOfSlot, type SlotAnchor, slotAt } from '../src/chain/ledger/slots.ts';
import { type Instant, secondsAfter } from '../src/domain/units/instant.ts';
import type { TransactionKind } from '../src/domain/transaction/transaction-state.ts';
import { type ChainTransaction, recordTransaction, vaultTransactions } from '../src/store/chain-transactions.ts';
import type { Transaction } from '../src/store/database.ts';
import type { Vault } from '../src/store/vaults.ts';
import type { Prepared } from '../src/temporal/activities.ts';
import { vaultWorkflowId } from '../src/temporal/workflow-ids.ts';
import type { WorkerDeps } from './deps.ts';

/** How long a transaction of the platform's own may take to land before it is built anew. */
const LIFETIME_SECONDS = 2 * 3600;
/** Below this a transaction would only be built to expire. */
const SHORTEST_LIFETIME_SECONDS = 30;

/** The slot at which a transaction built now expires, at most `latest`; null when that leaves no time to land. */
export function ttlSlotAt(anchor: SlotAnchor, now: Instant, latest: Instant | null): number | null {
  const wished = secondsAfter(now, LIFETIME_SECONDS);
  const end = latest !== null && latest < wished ? latest : wished;
  return end < secondsAfter(now, SHORTEST_LIFETIME_SECONDS) ? null : slotAt(anchor, end);
}

/** The vault's transaction of a kind that is under way or done; null when there is none, or it can never land any more. */
export async function liveTransaction(
  { db }: Pick<WorkerDeps, 'db'>,
  vaultId: string,
  kind: TransactionKind,
): Promise<ChainTransaction | null> {
  const latest = (await vaultTransactions(db, vaultId, [kind])).at(-1);
  return !latest || latest.state === 'expired' || latest.state === 'failed' ? null : latest;
}

export interface PlatformTransaction {
  readonly kind: TransactionKind;
  readonly vault: Pick<Vault, 'id'>;
  readonly built: BuiltTransaction;
  readonly anchor: SlotAnchor;
  readonly now: Instant;
}

/** Records a transaction that the worker will sign, with what belongs to it. Throws when another one took an input meanwhile: build it again. */
export async function recordPlatformTransaction(
  { unitOfWork, ids }: Pick<WorkerDeps, 'unitOfWork' | 'ids'>,
  { kind, vault, built, anchor, now }: PlatformTransaction,
  beside?: (tx: Transaction, transactionId: string) => Promise<void>,
): Promise<Prepared> {
  const id = ids.next();
  await unitOfWork(async ({ tx }) => {
    const ownerWorkflow = vaultWorkflowId(vault.id);
    const expiresAt = instantOfSlot(anchor, built.ttlSlot);
    const record = {
      id,
      kind,
      vaultId: vault.id,
      ownerWorkflow,
      signer: 'platform',
      wallet: null,
      expiresAt,
      built,
    } as const;
    if (!(await recordTransaction(tx, record, now)))
      throw new Error(`an input of the ${kind} transaction was just taken`);
    await beside?.(tx, id);
  });
  return { transactionId: id };
}
