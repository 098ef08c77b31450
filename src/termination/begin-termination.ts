import { CLAIM_SECONDS } from './rules/claim-seconds.ts';
import type { TerminationReason } from '../vaults/rules/vault.ts';
import { insertTermination, type NewTermination } from './queries/terminations.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { setFailureReason } from '../vaults/queries/vault-changes.ts';
import { lockVaultRow } from '../vaults/queries/vaults.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { platformEventFields, publish } from '../events/publish.ts';

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
