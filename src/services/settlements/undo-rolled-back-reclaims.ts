import type { Instant } from '../../domain/units/instant.ts';
import { latestLive } from '../transactions/platform-transactions.ts';
import type { WorkerContext } from '../worker-context.ts';
import { detectReturnedDeposits } from './detect-reclaims.ts';
import { undoReclaims } from './record-reclaims.ts';
import type { SettlementState } from './settlement-state.ts';

/**
 * Undoes the reclaims that the ledger has rolled back, and returns the settlement as it is afterwards. An investment that
 * returns after contributors were paid by a revised settlement stays where it is, and remains its owner's. Throws LEDGER_UNAVAILABLE.
 */
export async function undoRolledBackReclaims(
  context: Pick<WorkerContext, 'db' | 'unitOfWork' | 'ledger' | 'networkId' | 'confirmationDepth'>,
  settlement: SettlementState,
  now: Instant,
): Promise<SettlementState> {
  const { vault, transactions, entitlements, deposits, delivered } = settlement;
  if (now < vault.settlesBy || latestLive(transactions, 'liquidity')) return settlement;
  const paysContributors = entitlements.some(
    ({ depositId, depositKind }) => depositKind === 'asset' && delivered.has(depositId),
  );
  const reclaimed = [...deposits.values()].filter(
    ({ isReclaimed, depositKind }) => isReclaimed && (depositKind === 'asset' || !paysContributors),
  );
  const returned = await detectReturnedDeposits(context, vault, reclaimed);
  if (returned.length === 0) return settlement;
  const revised = await context.unitOfWork((transaction) => undoReclaims({ ...transaction, now }, vault.id, returned));
  return { ...settlement, entitlements: revised };
}
