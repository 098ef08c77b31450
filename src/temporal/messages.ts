/** What the api, the activities and the workflows say to each other. Signals carry ids, never truth (design §4). */

export interface VaultInput {
  vaultId: string;
  /** Milliseconds a development clock was ahead when the workflow started; 0 in production. */
  clockOffsetMs: number;
}

export interface TransactionInput {
  transactionId: string;
  clockOffsetMs: number;
}

export type VaultSignal = 'transactionChanged' | 'cancelRequested' | 'pricesChanged';
export type TransactionSignal = 'witnessed' | 'transactionChanged';

/** A start or a signal that has to reach Temporal; stored with the change that caused it, sent after commit, repeated by the sweep. */
export type WorkflowMessage =
  | { kind: 'start'; workflow: 'vault'; vaultId: string }
  | { kind: 'start'; workflow: 'transaction'; transactionId: string; vaultId: string | null }
  | { kind: 'signal'; signal: VaultSignal | TransactionSignal };
