import type { Utxo } from '../../cardano/transaction.ts';
import { refText } from '../../transactions/rules/utxo-ref.ts';
import type { SentClaim } from '../queries/chained-claims.ts';

/** So many claims at most are lost with one that never lands, each out of the change of the one before. */
const MAX_CHAINED = 10;

/**
 * What signed claims leave in the pot, which the next claims can spend before a block has it; that of the shortest chains first. Left
 * out is what cannot land: a claim that spends what neither the ledger has (`onLedger`, at the address of the pot) nor a signed claim
 * makes.
 */
export function chainedOutputs(sent: readonly SentClaim[], onLedger: readonly Utxo[]): Utxo[] {
  const held = new Set(onLedger.map(refText));
  const byChange = new Map(sent.map((claim) => [changeOf(claim), claim]));
  const lengths = new Map<SentClaim, number>();

  /** How many claims of the chain no block has; infinite when it cannot land. */
  function lengthOf(claim: SentClaim): number {
    const length = lengths.get(claim) ?? 1 + Math.max(...claim.spends.map(lengthBefore));
    lengths.set(claim, length);
    return length;
  }

  function lengthBefore(spent: string): number {
    if (held.has(spent)) return 0;
    const producer = byChange.get(spent);
    return producer ? lengthOf(producer) : Infinity;
  }

  return sent
    .map((claim) => ({ claim, length: lengthBefore(changeOf(claim)) }))
    .filter(({ length }) => length < MAX_CHAINED)
    .toSorted((one, other) => one.length - other.length)
    .flatMap(({ claim: { change } }) => change ?? []);
}

/** A claim leaves one output in the pot, its first. */
function changeOf({ hash }: SentClaim): string {
  return refText({ txHash: hash, index: 0 });
}
