import { platformEventFields, publish } from '../events/publish.ts';
import type { Execution } from '../executions/queries.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { isoText } from '../platform/units/time.ts';
import { isLiquidated } from '../proposals/queries/proposal-executions.ts';
import { insertTermination, type NewTermination, deleteTermination, type Termination } from './queries/terminations.ts';
import { CLAIM_SECONDS } from './rules/pot.ts';
import { vaultTransactions } from '../transactions/queries/listed-transactions.ts';
import { hasEnded, type TransactionKind } from '../transactions/rules.ts';
import { endHold } from '../vaults/holds.ts';
import { setFailureReason, revertLiquidation } from '../vaults/queries/vault-changes.ts';
import { lockVaultRow } from '../vaults/queries/vaults.ts';
import type { TerminationReason } from '../vaults/rules/vault.ts';
import { transitionVault } from '../vaults/transitions.ts';

/** Who gets what is left of a vault, as far as the decision names them. */
type Recipients = Pick<NewTermination, 'remainingAssetsTo' | 'unclaimedLovelaceTo' | 'handedAssets'>;
const nobody: Recipients = { remainingAssetsTo: null, unclaimedLovelaceTo: null, handedAssets: [] };

/**
 * Begins the end of a settled vault (design D31), once: the first reason stays. Whom the decision does not name, the creation of the
 * vault may have named. The workflow of the vault takes the steps.
 */
export async function beginTermination(
  context: TransactionContext,
  vaultId: string,
  { reason, recipients = nobody }: { readonly reason: TerminationReason; readonly recipients?: Recipients },
): Promise<void> {
  const { terms } = await lockVaultRow(context.tx, vaultId);
  const { remainingAssetsTo, unclaimedLovelaceTo, claimSeconds = CLAIM_SECONDS } = terms.termination;
  await setFailureReason(context, vaultId, reason);
  const isFirst = await insertTermination(context, {
    vaultId,
    remainingAssetsTo: recipients.remainingAssetsTo ?? remainingAssetsTo ?? null,
    unclaimedLovelaceTo: recipients.unclaimedLovelaceTo ?? unclaimedLovelaceTo ?? null,
    handedAssets: recipients.handedAssets,
    claimSeconds,
  });
  if (!isFirst) return;
  const source = { ...platformEventFields(vaultId), transactionHash: null };
  await publish(context, { event: { type: 'TERMINATION_BEGUN', ...source, data: { reason } } });
  const signal = { kind: 'signal', signal: 'liquidationDecided' } as const;
  await enqueueWorkflowMessage(context, vaultWorkflowId(vaultId), signal);
}

/** What moves something of a vault because it ends. */
const endKinds = [
  'gather_pot',
  'hand_over',
  'pay_remainder',
  'close_vault',
  'claim',
] as const satisfies readonly TransactionKind[];

/**
 * Takes back the end that a LIQUIDATE had decided, when that was rolled back after it was final and can no longer be confirmed. Once a transaction
 * of the end was made, the end continues: what was sent cannot be recalled, and the holders have voted for it.
 */
export async function takeBackTermination(
  context: TransactionContext,
  execution: Pick<Execution, 'id' | 'vaultId'>,
): Promise<void> {
  const { tx } = context;
  const { vaultId } = execution;
  const { failedBecause } = await lockVaultRow(tx, vaultId);
  if (failedBecause !== 'liquidated' || (await isLiquidated(tx, vaultId))) return;
  const made = await vaultTransactions(tx, vaultId, endKinds);
  if (made.some(({ state }) => !hasEnded(state))) return;
  await deleteTermination(tx, vaultId);
  await revertLiquidation(context, execution);
  const source = { ...platformEventFields(vaultId), transactionHash: null };
  await publish(context, { event: { type: 'TERMINATION_TAKEN_BACK', ...source, data: {} } });
  // A step may have failed again and again: nothing of it is left to try.
  await endHold(context, vaultId, 'repeated_failures');
}

/** Goes on with the end of a settled vault, also if that was TERMINATED: a rollback has undone a part of it that can never be confirmed again. */
export async function resumeEnd(context: TransactionContext, vaultId: string): Promise<void> {
  const vault = await lockVaultRow(context.tx, vaultId);
  if (vault.status === 'TERMINATED') await transitionVault(context, vault, { status: 'LOCKED', direction: 'rollback' });
  const message = { kind: 'start', workflow: 'vault', vaultId, again: true } as const;
  await enqueueWorkflowMessage(context, vaultWorkflowId(vaultId), message);
}

/**
 * Publishes what the claims on a vault are after a change that no claim has made: another pot, another deadline, their end, or that they
 * continue. Before they open, nobody is shown a pot.
 */
export async function publishClaimsChange(
  context: TransactionContext,
  termination: Termination | null,
  { hash: transactionHash }: { readonly hash: string | null },
): Promise<void> {
  if (!termination?.claimDeadline) return;
  const { vaultId, pot, claimDeadline, endedBecause } = termination;
  const data = {
    potLovelace: pot.lovelace.toString(),
    circulatingFtBaseUnits: pot.circulating.toString(),
    claimDeadline: isoText(claimDeadline),
    endedBecause,
  };
  await publish(context, { event: { type: 'CLAIMS_CHANGED', ...platformEventFields(vaultId), transactionHash, data } });
}
