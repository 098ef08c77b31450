import type { FieldProblem } from '../../platform/errors/errors.ts';
import type { ProposalEffect } from '../../proposals/rules/effect.ts';
import { frozenTermsDiffer } from '../../proposals/rules/effect-differences.ts';
import type { Signer } from './required-signatures.ts';

/** What a transaction was frozen for, or what a request asks for. */
interface ExecutionTerms {
  readonly effect: ProposalEffect;
  readonly cosigners: readonly Signer[];
  /** How many of them have to sign. */
  readonly requiredCosigners: number;
}

/** A request that names no number of cosigners leaves it as it was frozen. */
type RequestedTerms = Omit<ExecutionTerms, 'requiredCosigners'> & { readonly requiredCosigners: number | undefined };

/** Where a request differs from the frozen execution, by request field. Addresses with the same key are the same cosigner. */
export function differencesFromFrozen(frozen: ExecutionTerms, requested: RequestedTerms): readonly FieldProblem[] {
  const terms = frozenTermsDiffer(frozen.effect, requested.effect);
  return [...terms, ...cosignersDiffer(frozen, requested), ...numberDiffers(frozen, requested)];
}

function cosignersDiffer(frozen: ExecutionTerms, requested: RequestedTerms): FieldProblem[] {
  const named = new Set(requested.cosigners.map(({ keyHash }) => keyHash));
  const isFor = ({ keyHash }: Signer) => named.has(keyHash);
  if (named.size === frozen.cosigners.length && frozen.cosigners.every(isFor)) return [];
  const message = `Frozen for ${frozen.cosigners.map(({ wallet }) => wallet).join(', ') || 'no cosigners'}`;
  return [{ code: 'FROZEN_FOR_ANOTHER_ACTION', message, field: 'cosigners' }];
}

function numberDiffers(frozen: ExecutionTerms, { requiredCosigners }: RequestedTerms): FieldProblem[] {
  if (requiredCosigners === undefined || requiredCosigners === frozen.requiredCosigners) return [];
  const message = `Frozen for the signatures of ${frozen.requiredCosigners} cosigners`;
  return [{ code: 'FROZEN_FOR_ANOTHER_ACTION', message, field: 'required_cosigners' }];
}
