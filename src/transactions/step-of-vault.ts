import { moveKinds } from '../rotation/rules/transaction-kinds.ts';
import type { TransactionKind } from './rules/transaction-state.ts';
import type { ChainTransaction } from './queries/chain-transactions.ts';
import { vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';

/** Steps of a vault that registered cosigners sign, if it has any: these have a workflow of their own, which awaits the signatures. */
const cosignedKinds: ReadonlySet<TransactionKind> = new Set([...moveKinds, 'gather_pot', 'hand_over']);

/** A transaction of a vault by which its workflow, or that of its rotation, takes a step. */
export function isStepOfVault<Recorded extends Pick<ChainTransaction, 'kind' | 'vaultId' | 'ownerWorkflow'>>(
  transaction: Recorded,
): transaction is Recorded & { readonly vaultId: string } {
  const { kind, vaultId, ownerWorkflow } = transaction;
  return vaultId !== null && (ownerWorkflow === vaultWorkflowId(vaultId) || cosignedKinds.has(kind));
}
