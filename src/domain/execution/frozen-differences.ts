import type { FieldProblem } from '../errors.ts';
import type { ProposalEffect } from '../proposal/effect.ts';
import { frozenTermsDiffer } from '../proposal/effect-differences.ts';
import type { Signer } from './required-signatures.ts';

/** What a transaction was frozen for, or what a request asks for. */
interface ExecutionTerms {
  readonly effect: ProposalEffect;
  readonly cosigners: readonly Signer[];
}

/** Where a request differs from the frozen execution, by request field. Addresses with the same key are the same cosigner. */
export function differencesFromFrozen(frozen: ExecutionTerms, requested: ExecutionTerms): readonly FieldProblem[] {
  const terms = frozenTermsDiffer(frozen.effect, requested.effect);
  const named = new Set(requested.cosigners.map(({ keyHash }) => keyHash));
  const isFor = ({ keyHash }: Signer) => named.has(keyHash);
  if (named.size === frozen.cosigners.length && frozen.cosigners.every(isFor)) return terms;
  const message = `Frozen for ${frozen.cosigners.map(({ wallet }) => wallet).join(', ') || 'no cosigners'}`;
  return [...terms, { code: 'FROZEN_FOR_ANOTHER_ACTION', message, field: 'cosigners' }];
}
