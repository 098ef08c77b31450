import type { EndEvidence, ClaimsEvidence, LentEvidence } from '../evidence.ts';
import { type SigningRequest, assertAllowed } from '../policy.ts';
import { printHandedAssets } from '../../termination/rules/pot.ts';

const nobody = { remainingAssetsTo: null, unclaimedLovelaceTo: null, remainingAssets: null };

/**
 * Throws unless a vault ends as the ledger says: by a vote, whose proposal was anchored and whose decision the vault's key has signed, or
 * by the terms to which its mint has committed. Whoever is named for what is left is named there.
 */
export function requireEnd({ slot }: Pick<SigningRequest, 'slot'>, { recipients, ...end }: EndEvidence): void {
  const { terms } = end;
  const decided = end.reason === 'liquidated' ? decidedIn(end) : nobody;
  if (end.reason !== 'liquidated') requireOwnEnd(slot, end);
  const named = {
    remainingAssetsTo: decided.remainingAssetsTo ?? terms.remainingAssetsTo ?? null,
    unclaimedLovelaceTo: decided.unclaimedLovelaceTo ?? terms.unclaimedLovelaceTo ?? null,
  };
  assertAllowed(recipients.remainingAssetsTo === named.remainingAssetsTo, 'its assets were to go to others');
  assertAllowed(recipients.unclaimedLovelaceTo === named.unclaimedLovelaceTo, 'what is left was to go to others');
  const handed = printHandedAssets(recipients.handedAssets);
  assertAllowed(handed === (decided.remainingAssets ?? ''), 'single assets were to go to others');
}

/** A vault ends by itself after its duration, which begins after the mint, or when its assets have lost value. */
function requireOwnEnd(slot: number, { reason, endsFromSlot }: Omit<EndEvidence, 'recipients'>): void {
  const isDue = reason === 'programmed_end' && endsFromSlot !== null && slot >= endsFromSlot;
  assertAllowed(isDue || reason === 'floor_price_deviation', `its vault does not end now by ${reason}`);
}

type Decided = Readonly<Record<keyof typeof nobody, string | null>>;

/** The decision was signed when the proposal had been anchored for so long as an execution needs: nobody can have it anchored afterwards. */
function decidedIn({ vaultId, decision }: Omit<EndEvidence, 'recipients'>): Decided {
  assertAllowed(decision !== null, 'the decision to liquidate its vault is missing');
  const { proposalId, created, shortest, ttlSlot } = decision;
  const { fact, slot } = created;
  const isIts = fact['proposalId'] === proposalId && fact['vaultId'] === vaultId;
  assertAllowed(fact['kind'] === 'proposal_created' && isIts, 'another proposal was anchored');
  assertAllowed(
    slot + (shortest.voting + shortest.lock) / 2 <= ttlSlot,
    'its proposal was anchored after the decision was signed',
  );
  const { type, terms } = fact['effect'] as { readonly type: unknown; readonly terms: Partial<Decided> };
  assertAllowed(type === 'LIQUIDATE', 'its proposal does not end the vault');
  return { ...nobody, ...terms };
}

/** Throws while holders may still claim: what is left is theirs until all have, or their time is over. */
export function requireClaimsOver(
  { slot }: Pick<SigningRequest, 'slot'>,
  { circulating, overFromSlot }: ClaimsEvidence,
): void {
  assertAllowed(circulating === 0n || slot >= overFromSlot, `holders of ${circulating} tokens may still claim`);
}

/** Since an output of the pot was made, the ledger may have come to ask for less. */
const MIN_ADA_PER_OUTPUT = 2n;

/** The lovelace that the operator may take back of what it lent: what the row says, and no more than the outputs of the pot needed. */
export function lentToPot({ minAda }: Pick<SigningRequest, 'minAda'>, { float, pots }: LentEvidence): bigint {
  const most = BigInt(pots) * MIN_ADA_PER_OUTPUT * minAda.ofToken;
  return float < most ? float : most;
}
