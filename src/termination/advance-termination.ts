import { isOnLedger, isOpen, type TransactionKind } from '../transactions/rules/transaction-state.ts';
import { getTermination, type Termination } from './queries/terminations.ts';
import { isAnySent, vaultTransactions } from '../transactions/queries/vault-transactions.ts';
import { getVault, type Vault } from '../vaults/queries/vaults.ts';
import type { TerminationStage } from '../platform/temporal/activity-types.ts';
import { claimsEnd, endClaims } from './claims-end.ts';
import { closeVault } from './close-vault.ts';
import { endProposals } from './end-proposals.ts';
import { openClaimsOf } from './open-claims.ts';
import { isLeftToClose } from './prepare-closing.ts';
import { leftToGather } from './prepare-gathering.ts';
import { assetsToHand } from './prepare-hand-over.ts';
import { remainderOf } from './prepare-remainder.ts';
import { isAnyOnLedger, type TerminationContext, type VaultMoment } from './termination-transactions.ts';

/**
 * Takes the steps of the end of a vault that need no transaction, and returns the step that it is in. What is done is read from Postgres
 * and the ledger each time, so it can be repeated after a crash or a rollback. Throws LEDGER_UNAVAILABLE.
 */
export async function advanceTermination(context: TerminationContext, moment: VaultMoment): Promise<TerminationStage> {
  const vault = await getVault(context.db, moment.vaultId);
  const reason = vault.terminationReason ?? vault.failedBecause;
  // The LIQUIDATE was rolled back and can no longer land: the vault is governed as before.
  if (reason === null) return { step: 'settlement', prepares: false, until: null, reason: 'liquidated' };
  return { prepares: false, until: null, ...(await stageOf(context, vault, moment)), reason };
}

type Stage = Pick<TerminationStage, 'step'> & Partial<TerminationStage>;

async function stageOf(context: TerminationContext, vault: Vault, moment: VaultMoment): Promise<Stage> {
  if (vault.status === 'TERMINATED') return { step: 'ended' };
  if (vault.status !== 'LOCKED') return { step: 'settlement' };
  const { claimsOpenedAt } = await getTermination(context.db, vault.id);
  const gathering = claimsOpenedAt === null ? await stageBeforeClaims(context, vault, moment) : null;
  return gathering ?? (await stageOfClaims(context, vault, moment)) ?? stageAfterClaims(context, vault, moment);
}

/** Null once the claims are open. */
async function stageBeforeClaims(
  context: TerminationContext,
  vault: Vault,
  moment: VaultMoment,
): Promise<Stage | null> {
  if (!(await endProposals(context, moment))) return { step: 'end_proposals' };
  // What a rotation has not moved yet could not be gathered.
  if (vault.isRotating) return { step: 'end_proposals', waitsFor: 'rotation' };
  const gathering = await stepWith(context, vault, 'gather_pot', async () => {
    return (await leftToGather(context, vault)) !== null;
  });
  if (gathering) return gathering;
  const handing = await handOverStage(context, vault, await getTermination(context.db, vault.id));
  if (handing) return handing;
  return (await openClaimsOf(context, vault.id)) ? null : { step: 'gather_pot' };
}

/** Null once the claims are over. */
async function stageOfClaims(context: TerminationContext, vault: Vault, moment: VaultMoment): Promise<Stage | null> {
  const termination = await getTermination(context.db, vault.id);
  if (termination.endedBecause !== null) return null;
  const end = await claimsEnd(context.db, termination, moment.now);
  if (end === null) return { step: 'claims', until: termination.claimDeadline };
  // What holders have decided to sell until then is sold, if it was sent, and who has signed a claim is paid.
  const isDecided = await endProposals(context, moment);
  if (!isDecided || (await awaitsClaims(context, termination))) return { step: 'claims' };
  const isOver = await context.unitOfWork((work) => endClaims({ ...work, now: moment.now }, vault));
  return isOver ? null : stageOfClaims(context, vault, moment);
}

/** Claims that follow one another do not keep a vault from ending when they can go on afterwards. */
async function awaitsClaims({ db }: TerminationContext, { vaultId, unclaimedLovelaceTo, pot }: Termination) {
  return (unclaimedLovelaceTo !== null || pot.lovelace === 0n) && (await isAnySent(db, vaultId, ['claim']));
}

async function stageAfterClaims(context: TerminationContext, vault: Vault, moment: VaultMoment): Promise<Stage> {
  const handing = await handOverStage(context, vault, await getTermination(context.db, vault.id));
  if (handing) return handing;
  // With the ADA that lay with what was handed over.
  const termination = await getTermination(context.db, vault.id);
  // What a rollback brings back later is no second remainder.
  const remainder = await stepWith(context, vault, 'pay_remainder', async () => {
    return remainderOf(termination) !== null && !(await isAnyOnLedger(context, vault, 'pay_remainder'));
  });
  if (remainder) return remainder;
  const closing = await stepWith(context, vault, 'close_vault', async () => {
    return !(await isAnyOnLedger(context, vault, 'close_vault')) && (await isLeftToClose(context, vault, moment.now));
  });
  return closing ?? closeVault(context, vault, moment);
}

function handOverStage(context: TerminationContext, vault: Vault, termination: Termination): Promise<Stage | null> {
  return stepWith(context, vault, 'hand_over', async () => {
    return (await assetsToHand(context, vault, termination)).length > 0;
  });
}

/** A step while it has a transaction to prepare, or one that is not final; then null. */
async function stepWith(
  { db }: TerminationContext,
  { id }: Vault,
  step: TransactionKind & TerminationStage['step'],
  isLeft: () => boolean | Promise<boolean>,
): Promise<Stage | null> {
  const open = (await vaultTransactions(db, id, [step])).filter(({ state }) => isOpen(state));
  if (open.some(({ state }) => !isOnLedger(state)) || (await isLeft())) return { step, prepares: true };
  return open.length > 0 ? { step } : null;
}
