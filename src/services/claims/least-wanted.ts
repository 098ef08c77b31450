import type { Utxo } from '../../chain/transaction.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import { inputsOfUnsignedClaims } from '../../store/claims.ts';
import type { Transaction } from '../../store/database.ts';
import type { SpendablePot } from './prefetch-claim.ts';

/** Unsigned claims that are counted. Whoever asks for more of them can steer the choice, but hold no output. */
const COUNTED = 500;

interface PotChoice {
  readonly vaultId: string;
  readonly claimId: string;
  readonly pot: SpendablePot;
}

/**
 * The outputs of a pot in the order in which a claim tries them: first those that the fewest unsigned claims spend, because the first
 * signature takes an output from the others. Among equals those in a block come first, and each claim begins at another one.
 */
export async function leastWanted(tx: Transaction, { vaultId, claimId, pot }: PotChoice): Promise<readonly Utxo[]> {
  const wanted = new Map<string, number>();
  for (const input of await inputsOfUnsignedClaims(tx, vaultId, COUNTED)) {
    const ref = refText(input);
    wanted.set(ref, (wanted.get(ref) ?? 0) + 1);
  }
  const claimsOf = (output: Utxo) => wanted.get(refText(output)) ?? 0;
  const outputs = [pot.inBlocks, pot.chained].flatMap((group) => startingAnywhere(group, claimId));
  return outputs.toSorted((one, other) => claimsOf(one) - claimsOf(other));
}

function startingAnywhere(outputs: readonly Utxo[], claimId: string): readonly Utxo[] {
  const first = Number.parseInt(claimId.slice(-8), 16) % Math.max(1, outputs.length);
  return [...outputs.slice(first), ...outputs.slice(0, first)];
}
