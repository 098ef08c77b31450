import type { TerminationReason } from '../../domain/vault/vault.ts';
import { insertTermination, type NewTermination } from '../../store/terminations.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { setFailureReason } from '../../store/vault-changes.ts';
import { lockVaultRow } from '../../store/vaults.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { vaultWorkflowId } from '../../temporal/workflow-ids.ts';
import { platformEventFields, publish } from '../publish.ts';

/** How long holders can claim when nothing else was decided: 90 days. */
export const CLAIM_SECONDS = 90 * 86_400;

/** Who gets what is left of a vault. */
type Recipients = Pick<NewTermination, 'remainingAssetsTo' | 'unclaimedLovelaceTo' | 'handedAssets'>;

/** Begins the end of a settled vault (design D31), once: the first reason stays. Its workflow takes the steps. */
export async function beginTermination(
  context: TransactionContext,
  vaultId: string,
  { reason, recipients }: { readonly reason: TerminationReason; readonly recipients: Recipients },
): Promise<void> {
  await lockVaultRow(context.tx, vaultId);
  await setFailureReason(context, vaultId, reason);
  if (!(await insertTermination(context, { vaultId, ...recipients, claimSeconds: CLAIM_SECONDS }))) return;
  const source = { ...platformEventFields(vaultId), transactionHash: null };
  await publish(context, { event: { type: 'TERMINATION_BEGUN', ...source, data: { reason } } });
  const signal = { kind: 'signal', signal: 'liquidationDecided' } as const;
  await enqueueWorkflowMessage(context, vaultWorkflowId(vaultId), signal);
}
