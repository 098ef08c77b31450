import { ServiceError } from '../../platform/errors/errors.ts';
import { refText } from '../../transactions/rules/utxo-ref.ts';
import { type CustodyGuard, custodyScript } from '../scripts/vault-scripts.ts';
import type { BuiltTransaction, KeyHash, Utxo } from '../transaction.ts';
import { buildEffect, type EffectInputs } from './effect.ts';

/** What an execution is built from. */
export interface ExecutionInputs extends Pick<
  EffectInputs,
  'chain' | 'proposalId' | 'effect' | 'assets' | 'inCustody' | 'partner' | 'operator' | 'proceedsAddress'
> {
  readonly vault: CustodyGuard & { readonly contractAddress: string };
  readonly cosigners: readonly { readonly keyHash: KeyHash }[];
  /** Whether each of them has to sign; otherwise some of them suffice. */
  readonly allCosign: boolean;
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
 * suffice: the partner can then sign all of them. Throws what `buildEffect` throws.
 */
export function buildExecution(
  inputs: ExecutionInputs,
  { free, awaitingSignature }: AvailableUtxos,
  ttlSlot: number,
): BuiltTransaction {
  const reserved = new Set(awaitingSignature.map(refText));
  const unreserved = free.filter((utxo) => !reserved.has(refText(utxo)));
  if (unreserved.length === free.length) return buildFrom(inputs, free, ttlSlot);
  try {
    return buildFrom(inputs, unreserved, ttlSlot);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return buildFrom(inputs, free, ttlSlot);
  }
}

function buildFrom(inputs: ExecutionInputs, free: readonly Utxo[], ttlSlot: number): BuiltTransaction {
  return buildEffect(effectInputs(inputs, free, ttlSlot));
}

function effectInputs(inputs: ExecutionInputs, free: readonly Utxo[], ttlSlot: number): EffectInputs {
  const { vault, cosigners, allCosign, inCustody, partner, operator } = inputs;
  const freeRefs = new Set(free.map(refText));
  const freeOf = (utxos: readonly Utxo[]) => utxos.filter((utxo) => freeRefs.has(refText(utxo)));
  return {
    ...inputs,
    custody: {
      address: vault.contractAddress,
      script: custodyScript(vault),
      vaultKeyHash: vault.vaultKeyHash,
      cosigners: cosigners.map(({ keyHash }) => keyHash),
      allCosign,
    },
    free: freeOf(inCustody),
    partner: partner && { ...partner, utxos: freeOf(partner.utxos) },
    operator: operator && { ...operator, utxos: freeOf(operator.utxos) },
    ttlSlot,
  };
}
