import type { RequestedEffect } from '../../domain/proposal/requested-effect.ts';
import type { SentAction } from '../../store/executions.ts';

/** An execution as it is requested. */
export interface ExecutionParams {
  /** The named wallets, as text. */
  readonly cosigners: readonly string[];
  /** The action exactly as it was sent. */
  readonly action: SentAction;
  readonly effect: RequestedEffect;
}
