import type { Keys } from './cardano/keys/keys.ts';
import type { AssetClass } from './assets/rules/asset.ts';
import type { ServiceError } from './platform/errors.ts';
import type { Instant } from './platform/units/time.ts';
import type { WindowKind } from './vaults/rules/window.ts';
import type { OperatorBudget } from './signing-policy/operator-budget.ts';
import type { ChainTransaction } from './transactions/queries/transactions.ts';
import type { LedgerHold } from './ledger-follower/queries/blocks.ts';
import type { OutboxRelay } from './platform/temporal/workflow-outbox-relay.ts';
import type { LostWorkflow, RunningWorkflows } from './platform/temporal/running-workflows.ts';
import type { OnQuarantine } from './ledger-follower/quarantine.ts';
import type { ServiceContext } from './context.ts';

/** A change that a timer makes in a vault, and in a proposal. */
export type VaultTransition = `${WindowKind}_window_${'open' | 'close'}`;
export type ProposalTransition = 'draft_expiry' | 'voting_close' | 'execution_end';

/** Everything a use case of the worker works with; each one names the part it needs. */
export interface WorkerContext extends ServiceContext {
  readonly keys: Keys;
  readonly operatorBudget: OperatorBudget;
  readonly outboxRelay: OutboxRelay;
  /** Connections of the follower's own, for which it waits behind no other activity. */
  readonly follower: Pick<ServiceContext, 'db' | 'unitOfWork'>;
  /** Blocks after which a transaction is final. */
  readonly confirmationDepth: number;
  /** How many blocks a rollback may undo without an operator. */
  readonly maxRollback: number;
  /** Expected milliseconds between two blocks. */
  readonly blockMs: number;
  /** Days after which events are deleted. */
  readonly eventsKeptDays: number;
  /** Where the liquidity share goes instead of to the vault's own address. */
  readonly liquidityAddress: string | undefined;
  /** Aborted when the worker is asked to stop: work that would take long ends early and is continued by another worker. */
  readonly stopping: AbortSignal;
  /** Called after a transition of a vault or a proposal is committed, with the instant it was due. */
  readonly onTransition: (transition: VaultTransition | ProposalTransition, dueAt: Instant) => void;
  /** Called when an effect of a block is quarantined; the block may still be undone. */
  readonly onQuarantine: OnQuarantine;
  /** Called when a transaction that a block has, or makes final, cannot be recorded at all; the rest of the block is. */
  readonly onUnrecorded: (hash: string, error: unknown) => void;
  readonly runningWorkflows: RunningWorkflows;
  /** Called when a workflow that was terminated or lost is started again. */
  readonly onLostWorkflow: (lost: LostWorkflow) => void;
  /** Called when the signing policy refuses a transaction, and when one is confirmed as something else than its row says (design D44). */
  readonly onSignatureRefused: (transaction: ChainTransaction, reason: string, cause?: unknown) => void;
  /** Called when an NFT arrives in a vault while the ledger cannot say how many of it exist. */
  readonly onUnknownSupply: (nft: AssetClass, error: ServiceError) => void;
  /** Called when following is held until an operator accepts the ledger's other history. */
  readonly onLedgerHold: (hold: Pick<LedgerHold, 'tipHeight' | 'forkHeight'>) => void;
  /** Called when open transactions could not be resubmitted and expired; the next block tries again. */
  readonly onTendingError: (error: unknown) => void;
}
