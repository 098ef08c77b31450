import type { SearchAttributePair } from '@temporalio/common';
import type {
  AnchorLaneInput,
  ProposalInput,
  RotationInput,
  TransactionInput,
  VaultInput,
  WorkflowSignal,
  WorkflowStart,
} from './messages.ts';
import { searchAttributes } from './search-attributes.ts';
import type { WorkflowId } from './workflow-ids.ts';

/** Wakes a workflow that is started again although it has not ended. */
export const WAKE: WorkflowSignal = 'transactionChanged';

/** How Temporal starts the workflow of a message. */
export function startOptions(
  { taskQueue, network }: { readonly taskQueue: string; readonly network: string },
  workflowId: WorkflowId,
  message: WorkflowStart,
  clockOffsetMs: number,
) {
  const attributes: SearchAttributePair[] = [{ key: searchAttributes.network, value: network }];
  const vaultId = message.workflow === 'anchorLane' ? null : message.vaultId;
  if (vaultId !== null) attributes.push({ key: searchAttributes.vaultId, value: vaultId });
  if (message.workflow === 'transaction' && message.signing)
    attributes.push(
      { key: searchAttributes.phase, value: 'signing' },
      { key: searchAttributes.phaseEndsAt, value: new Date(message.signing.expiresAt) },
    );
  return {
    workflowId,
    taskQueue,
    args: [inputOf(message, clockOffsetMs)],
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    workflowIdReusePolicy: message.again === true ? ('ALLOW_DUPLICATE' as const) : ('REJECT_DUPLICATE' as const),
    typedSearchAttributes: attributes,
  };
}

type Input = VaultInput | TransactionInput | ProposalInput | RotationInput | AnchorLaneInput;

function inputOf(message: WorkflowStart, clockOffsetMs: number): Input {
  switch (message.workflow) {
    case 'vault':
      return { vaultId: message.vaultId, clockOffsetMs };
    case 'transaction':
      return {
        transactionId: message.transactionId,
        clockOffsetMs,
        ...(message.signing && { signing: message.signing }),
      };
    case 'proposal':
      return { proposalId: message.proposalId, clockOffsetMs };
    case 'rotation':
      return { rotationId: message.rotationId, vaultId: message.vaultId, clockOffsetMs };
    case 'anchorLane':
      return { laneId: message.laneId, clockOffsetMs };
    default:
      throw unknownMessage(message);
  }
}

/** A newer release has stored it: it stays in the outbox, for a process of that release. */
function unknownMessage(message: never): Error {
  return new Error(`a message of a newer release: ${JSON.stringify(message)}`);
}
