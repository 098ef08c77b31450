import { isOnLedger, isOpen } from '../../domain/transaction/transaction-state.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { getTermination } from '../../store/terminations.ts';
import { vaultTransactions } from '../../store/vault-transactions.ts';
import { getVault, type Vault } from '../../store/vaults.ts';
import type { TerminationStage } from '../../temporal/activity-types.ts';
import { endProposals } from './end-proposals.ts';
import { gatherableOutputs } from './gatherable-outputs.ts';
import { openClaimsOf } from './open-claims.ts';
import type { TerminationContext } from './prepare-gathering.ts';

/**
 * Takes the steps of the end of a vault that need no transaction, and returns the step that it is in. What is done is read from Postgres
 * and the ledger each time, so it can be repeated after a crash or a rollback. Throws LEDGER_UNAVAILABLE.
 */
export async function advanceTermination(
  context: TerminationContext,
  moment: { readonly vaultId: string; readonly now: Instant },
): Promise<TerminationStage> {
  const vault = await getVault(context.db, moment.vaultId);
  const reason = vault.terminationReason ?? vault.failedBecause;
  if (reason === null) throw new Error(`the end of vault ${vault.id} is not decided`);
  return { prepares: false, until: null, ...(await stageOf(context, vault, moment)), reason };
}

type Stage = Pick<TerminationStage, 'step'> & Partial<TerminationStage>;

async function stageOf(
  context: TerminationContext,
  vault: Vault,
  moment: { readonly vaultId: string; readonly now: Instant },
): Promise<Stage> {
  if (vault.status === 'TERMINATED') return { step: 'ended' };
  if (vault.status !== 'LOCKED') return { step: 'settlement' };
  const termination = await getTermination(context.db, vault.id);
  if (termination.claimsOpenedAt === null) {
    if (!(await endProposals(context, moment))) return { step: 'end_proposals' };
    const gathering = await gatheringStage(context, vault);
    if (gathering) return gathering;
    await openClaimsOf(context, moment);
  }
  const { claimDeadline } = await getTermination(context.db, vault.id);
  return { step: 'claims', until: claimDeadline };
}

/** Null when everything is gathered, and final. */
async function gatheringStage(context: TerminationContext, vault: Vault): Promise<Stage | null> {
  const gatherings = await vaultTransactions(context.db, vault.id, ['gather_pot']);
  const open = gatherings.filter(({ state }) => isOpen(state));
  const isUnderWay = open.some(({ state }) => !isOnLedger(state));
  if (isUnderWay || (await gatherableOutputs(context, vault)).length > 0) return { step: 'gather_pot', prepares: true };
  return open.length > 0 ? { step: 'gather_pot' } : null;
}
