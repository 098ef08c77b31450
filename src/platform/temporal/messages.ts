import type { TransactionKind } from '../../transactions/rules.ts';
import type { Instant } from '../units/time.ts';

/** The messages between the api, the activities and the workflows. Signals carry no state; it is read from Postgres (design §4). */

export interface WorkflowInput {
  /** Milliseconds a development clock was ahead when the workflow started; 0 in production. */
  clockOffsetMs: number;
}

export interface VaultInput extends WorkflowInput {
  vaultId: string;
}

export interface TransactionInput extends WorkflowInput {
  transactionId: string;
  /** Its first task comes when it is signalled, or when it is time to read. */
  signing?: Signing;
}

/** What never changes of a transaction that waits for signatures. */
export interface Signing {
  kind: TransactionKind;
  expiresAt: Instant;
}

export interface AnchorSubmitterInput extends WorkflowInput {
  anchorChainId: string;
}

export interface ProposalInput extends WorkflowInput {
  proposalId: string;
}

export interface RotationInput extends WorkflowInput {
  rotationId: string;
  vaultId: string;
}

export type WorkflowSignal =
  | 'transactionChanged'
  | 'cancelRequested'
  | 'pricesChanged'
  | 'witnessed'
  | 'sealed'
  | 'endorsed'
  | 'liquidationDecided';

/** `again`: there is something left to do, so its workflow is signalled, and started again if it has ended. */
export type WorkflowStart = { kind: 'start'; again?: true } & (
  | { workflow: 'vault'; vaultId: string }
  | { workflow: 'transaction'; transactionId: string; vaultId: string | null; signing?: Signing }
  | { workflow: 'anchorSubmitter'; anchorChainId: string }
  | { workflow: 'proposal'; proposalId: string; vaultId: string }
  | { workflow: 'rotation'; rotationId: string; vaultId: string }
);

/** A start or a signal of a workflow: stored with the change that causes it, sent after commit, sent again by the sweep. */
export type WorkflowMessage = WorkflowStart | { kind: 'signal'; signal: WorkflowSignal };
