import { limitedLedger } from '../../cardano/ledger/limited-ledger.ts';
import { type Clock, wallClock } from '../../platform/units/clock.ts';
import { secondsAfter } from '../../platform/units/instant.ts';
import type { Difference } from '../rules/difference.ts';
import { nextPlannedVaults } from '../queries/reconciled-vaults.ts';
import { endReconciliation, insertReconciliation, recordCompared } from '../queries/reconciliations.ts';
import type { ServiceContext } from '../../context.ts';
import { NotComparable, type ReconcileContext, reconcileVault } from './reconcile-vault.ts';

const PAGE = 20;
/** For one vault, of the hour that its activity has. One that takes longer is told as not compared, and those after it are compared. */
const VAULT_SECONDS = 1200;
/** A vault with more has been damaged as a whole. */
const MAX_DIFFERENCES = 200;

export interface RunContext extends ReconcileContext, Pick<ServiceContext, 'db' | 'unitOfWork'> {
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
 * cannot be compared is a difference itself. Called again, it goes on where it was. Throws when the ledger cannot be reached.
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
