import { custodyScript } from '../../chain/scripts/vault-scripts.ts';
import type { BuiltTransaction, Utxo } from '../../chain/transaction.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Cosigner } from '../../domain/execution/cosigning.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import { buildWithPlatformFunds } from '../transactions/funding-errors.ts';
import type { EffectInputs } from './effects/effect.ts';
import { executionEffects } from './effects/effects.ts';
import type { ExecutableProposal } from './executable-proposal.ts';
import type { ExecutionPlan } from './plan-execution.ts';
import type { ExecutionPrefetch } from './prefetch.ts';

/** What an execution is built from. */
export interface ExecutionDraft {
  readonly executable: ExecutableProposal;
  readonly plan: ExecutionPlan;
  readonly cosigners: readonly Cosigner[];
  readonly prefetched: ExecutionPrefetch;
}

/** The UTxOs that a transaction may spend. */
interface AvailableUtxos {
  /** Those that no open transaction holds. */
  readonly free: readonly Utxo[];
  /** The inputs of other executions that wait for the signature of the partner. */
  readonly awaitingSignature: readonly Utxo[];
}

/**
 * Builds the transaction of an execution, without the inputs of other executions that its partner is to sign if the other UTxOs
 * suffice: the partner can then sign all of them. Throws what `buildTransaction` of the effect throws.
 */
export function buildExecution(
  draft: ExecutionDraft,
  { free, awaitingSignature }: AvailableUtxos,
  ttlSlot: number,
): BuiltTransaction {
  const reserved = new Set(awaitingSignature.map(refText));
  const unreserved = free.filter((utxo) => !reserved.has(refText(utxo)));
  if (unreserved.length === free.length) return buildFrom(draft, free, ttlSlot);
  try {
    return buildFrom(draft, unreserved, ttlSlot);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return buildFrom(draft, free, ttlSlot);
  }
}

function buildFrom(draft: ExecutionDraft, free: readonly Utxo[], ttlSlot: number): BuiltTransaction {
  const build = () => executionEffects[draft.plan.effect.type].buildTransaction(effectInputs(draft, free, ttlSlot));
  return draft.prefetched.operator ? buildWithPlatformFunds(build) : build();
}

function effectInputs(
  { executable, plan, cosigners, prefetched }: ExecutionDraft,
  free: readonly Utxo[],
  ttlSlot: number,
): EffectInputs {
  const { vault, proposal } = executable;
  const { vaultKeyHash, contractAddress } = vault;
  const { chain, inCustody, partner, operator } = prefetched;
  const freeRefs = new Set(free.map(refText));
  const freeOf = (utxos: readonly Utxo[]) => utxos.filter((utxo) => freeRefs.has(refText(utxo)));
  return {
    chain,
    proposalId: proposal.id,
    effect: plan.effect,
    assets: plan.assets,
    custody: {
      address: contractAddress,
      script: custodyScript({ vaultKeyHash, ...(vault.cosigners && { cosigners: vault.cosigners }) }),
      vaultKeyHash,
      cosigners: cosigners.map(({ keyHash }) => keyHash),
    },
    inCustody,
    free: freeOf(inCustody),
    partner: partner && { ...partner, utxos: freeOf(partner.utxos) },
    operator: operator && { ...operator, utxos: freeOf(operator.utxos) },
    ttlSlot,
  };
}
