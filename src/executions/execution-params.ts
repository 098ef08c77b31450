import type { Caller } from '../access/rules/caller.ts';
import type { RequestedEffect } from '../proposals/rules/requested-effect.ts';
import type { SentAction } from './queries/executions.ts';
import type { Actor } from '../access/actor.ts';

/** What a request to execute a proposal names. */
export interface ExecutionParams {
  /** The named wallets, as text. */
  readonly cosigners: readonly string[];
  /** How many of them have to sign; undefined for as many as the proposal requires. */
  readonly requiredCosigners: number | undefined;
  /** The action exactly as it was sent. */
  readonly action: SentAction;
  readonly effect: RequestedEffect;
}

/** A request to freeze or submit the execution of a proposal. */
export interface ExecutionInput {
  readonly proposalId: string;
  readonly params: ExecutionParams;
  readonly executor: Actor;
  readonly caller: Caller;
  readonly correlationId: string;
}
