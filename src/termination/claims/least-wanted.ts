import type { Utxo } from '../../cardano/transaction.ts';
import { refText } from '../../transactions/rules/utxo-ref.ts';
import { inputsOfUnsignedClaims, sentClaims } from '../queries/chained-claims.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { chainedOutputs } from './chained-outputs.ts';
import type { PotPrefetch } from './prefetch-claim.ts';

/** Unsigned claims that are counted. Whoever asks for more of them can steer the choice, but hold no output. */
const COUNTED = 200;

interface PotChoice {
  readonly vaultId: string;
  readonly claimId: string;
  readonly pot: PotPrefetch;
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
  const groups = [pot.inBlocks, await chainedNow(tx, vaultId, pot)];
  const outputs = groups.flatMap((group) => startingAnywhere(group, claimId));
  return outputs.toSorted((one, other) => claimsOf(one) - claimsOf(other));
}

/** What claims leave that are signed by now. Those that have landed or ended since `pot` was read only connect the others to the ledger. */
async function chainedNow(tx: Transaction, vaultId: string, pot: PotPrefetch): Promise<Utxo[]> {
  const sent = await sentClaims(tx, vaultId, pot.address);
  const before = pot.sent.map((claim) => ({ ...claim, change: null }));
  const byHash = new Map([...before, ...sent].map((claim) => [claim.hash, claim]));
  const known = new Set(pot.inBlocks.map(refText));
  return chainedOutputs([...byHash.values()], pot.onLedger).filter((output) => !known.has(refText(output)));
}

function startingAnywhere(outputs: readonly Utxo[], claimId: string): readonly Utxo[] {
  const first = Number.parseInt(claimId.slice(-8), 16) % Math.max(1, outputs.length);
  return [...outputs.slice(first), ...outputs.slice(0, first)];
}
