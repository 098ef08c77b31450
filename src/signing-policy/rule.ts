import type { Steps } from '../platform/states/steps.ts';
import type { Judged } from './judged.ts';

/** A key of the platform: the operator's, and those of a vault for what it holds and for its policies. */
export type PlatformKey = 'operator' | 'vault' | 'policy';

/** What a kind of transaction may carry besides inputs and outputs; most carry nothing. */
type Extra = 'mint' | 'metadata' | 'datum';

/** What justifies the signatures of the platform under a kind of transaction. */
export interface Rule<Evidence> {
  /** The keys of the platform that may sign it. */
  readonly keys: readonly PlatformKey[];
  readonly mayCarry: readonly Extra[];
  /** How long it may be valid from its signature on. */
  readonly lifetimeSeconds: number;
  /** The most lovelace that the operator pays into outputs of others; none unless given. They may keep it. */
  operatorPays?(judged: Judged, evidence: Evidence): bigint;
  /** Throws TRANSACTION_NOT_JUSTIFIED for what the evidence does not allow. */
  judge(judged: Judged, evidence: Evidence): void;
  /** The rest of it, where thousands have a part. */
  judgeMany?(judged: Judged, evidence: Evidence): Steps<void>;
}

/** Lifetimes of transactions: those that a request starts, those that the worker prepares, and those that cosigners may have to sign. */
export const lifetime = { requested: 30 * 60, prepared: 2 * 3600, cosigned: 36 * 3600 } as const;
