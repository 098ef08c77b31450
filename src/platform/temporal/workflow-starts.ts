import type { SearchAttributePair } from '@temporalio/common';
import { type Instant, isoText } from '../units/time.ts';
import type {
  AnchorSubmitterInput,
  ProposalInput,
  RotationInput,
  Signing,
  TransactionInput,
  VaultInput,
  WorkflowSignal,
  WorkflowStart,
} from './messages.ts';
import { searchAttributes } from './search-attributes.ts';
import type { WorkflowId } from './workflow-ids.ts';

/** Wakes a workflow that is started again although it has not ended. */
export const WAKE: WorkflowSignal = 'transactionChanged';

/** The first task of a transaction that nobody has signed waits, as most never are. One whose signal is lost must still be sent in time. */
const LONGEST_DELAY_MS = 60_000;

/** The time of a start, and how far a development clock is ahead of wall time. */
export interface StartTime {
  readonly now: Instant;
  readonly offsetMs: number;
}

interface StartContext extends StartTime {
  /** Of vaults and proposals, by id. */
  readonly titles?: ReadonlyMap<string, string>;
}

/** How Temporal starts the workflow of a message. */
export function startOptions(
  { taskQueue, network }: { readonly taskQueue: string; readonly network: string },
  workflowId: WorkflowId,
  message: WorkflowStart,
  { now, offsetMs, titles }: StartContext,
) {
  const attributes: SearchAttributePair[] = [{ key: searchAttributes.network, value: network }];
  const vaultId = message.workflow === 'anchorSubmitter' ? null : message.vaultId;
  if (vaultId !== null) attributes.push({ key: searchAttributes.vaultId, value: vaultId });
  const signing = message.workflow === 'transaction' ? message.signing : undefined;
  if (signing)
    attributes.push(
      { key: searchAttributes.phase, value: 'signing' },
      { key: searchAttributes.phaseEndsAt, value: new Date(signing.expiresAt) },
    );
  return {
    workflowId,
    taskQueue,
    args: [inputOf(message, offsetMs)],
    // The answer need not wait for a task of a transaction that nobody has signed yet.
    ...(signing && { startDelay: Math.max(0, Math.min(signing.expiresAt - now, LONGEST_DELAY_MS)) }),
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    workflowIdReusePolicy: message.again === true ? ('ALLOW_DUPLICATE' as const) : ('REJECT_DUPLICATE' as const),
    typedSearchAttributes: attributes,
    ...(signing ? textsOfSigning(signing) : textsOf(message, titles)),
  };
}

/** What an operator reads of a vault or a proposal: its name and type. */
function textsOf(message: WorkflowStart, titles?: ReadonlyMap<string, string>) {
  const isNamed = message.workflow === 'vault' || message.workflow === 'proposal';
  const title = isNamed ? titles?.get(message.workflow === 'vault' ? message.vaultId : message.proposalId) : undefined;
  // A run that continues as new keeps the memo, and not the summary.
  return title === undefined ? {} : { staticSummary: title, memo: { title } };
}

/** An operator reads this also before the first task, which sets the current details. */
function textsOfSigning({ kind, expiresAt }: Signing) {
  return { staticSummary: kind, staticDetails: `Signatures are accepted until **${isoText(expiresAt)}**.` };
}

type Input = VaultInput | TransactionInput | ProposalInput | RotationInput | AnchorSubmitterInput;

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
    case 'anchorSubmitter':
      return { anchorChainId: message.anchorChainId, clockOffsetMs };
    default:
      throw unknownMessage(message);
  }
}

/** A newer release has stored it: it stays in the outbox, for a process of that release. */
function unknownMessage(message: never): Error {
  return new Error(`a message of a newer release: ${JSON.stringify(message)}`);
}
