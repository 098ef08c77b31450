import { policyOf } from '../../assets/rules/asset.ts';
import type { Unit } from '../../cardano/transaction.ts';
import { lovelace } from '../../platform/units/money.ts';
import { printHandedAssets } from '../../termination/rules/pot.ts';
import type {
  ClaimEvidence,
  ClaimsEvidence,
  ClosingEvidence,
  EndEvidence,
  HandOverEvidence,
  LentEvidence,
  OfEndingVault,
  OfSettledVault,
  RemainderEvidence,
} from '../evidence.ts';
import { atLeastNothing, lackingLovelace, lovelaceFrom, minAdaAt } from '../min-ada.ts';
import {
  type Rule,
  type SigningRequest,
  assertAllowed,
  gainOf,
  lifetime,
  requireAssetsGained,
  requireInputsAt,
  requireInputsAtOrOfWallets,
  requireLovelaceLostAtMost,
  requireOperatorGainsNothing,
  requireOutputsAt,
  sumOf,
} from '../policy.ts';

/** An output of the pot for so much ADA, and one for less. */
const LOVELACE_PER_OUTPUT = 25_000_000n;

/** A vault that ends gathers what it shares at its claims address; other assets than its token stay in custody. */
export const gatherPot: Rule<OfEndingVault> = {
  keys: ['operator', 'vault'],
  mayCarry: [],
  lifetimeSeconds: lifetime.cosigned,
  operatorPays(request, { vault: { custody, claims } }) {
    const { spent, operator, minAda } = request;
    const brought = sumOf(spent.filter(({ address }) => address !== operator)).lovelace;
    return countOutputsAt(request, claims) * minAda.ofToken + atLeastNothing(minAdaAt(request, [custody]) - brought);
  },
  evaluate(request, { vault, ftUnit, end }) {
    requireEnd(request, end);
    const { operator, transaction } = request;
    const { custody, liquidity, claims } = vault;
    requireInputsAt(request, [operator, custody, liquidity]);
    requireOutputsAt(request, [operator, custody, claims]);
    requireOperatorGainsNothing(request);
    const pots = countOutputsAt(request, claims);
    const gathered = gainOf(request, [claims]);
    assertAllowed(pots <= 1n + gathered.lovelace / LOVELACE_PER_OUTPUT, `it makes ${pots} outputs of the pot`);
    requireLovelaceLostAtMost(request, [custody, liquidity, claims], transaction.fee);
    const others = [...gathered.assets.keys()].filter((unit: Unit) => unit !== ftUnit);
    assertAllowed(others.length === 0, `${others.join()} moves to the pot`);
  },
};

function countOutputsAt({ transaction }: SigningRequest, at: string): bigint {
  return BigInt(transaction.outputs.filter(({ address }) => address === at).length);
}

/** The ADA that may leave with assets: what is more goes into the pot. */
const LOVELACE_OF_OUTPUT = 5_000_000n;
const LOVELACE_OF_ASSET = 2_000_000n;

/** A vault that ends gives assets to the wallets that were named for them; other assets stay in custody. */
export const handOver: Rule<HandOverEvidence> = {
  keys: ['operator', 'vault'],
  mayCarry: [],
  lifetimeSeconds: lifetime.cosigned,
  operatorPays: lackingLovelace,
  evaluate(request, { vault, handed, end, claims }) {
    requireEnd(request, end);
    if (claims) requireClaimsOver(request, claims);
    const { operator, spent } = request;
    const byAddress = Map.groupBy(handed, ({ address }) => address);
    requireInputsAt(request, [operator, vault.custody]);
    requireOutputsAt(request, [operator, vault.custody, vault.claims, ...byAddress.keys()]);
    requireAssetsGained(request, [vault.claims], new Map());
    requireOperatorGainsNothing(request);
    for (const [address, theirs] of byAddress) {
      const assets = sumOf(
        theirs.map(({ unit, quantity }) => ({ lovelace: lovelace(0n), assets: new Map([[unit, quantity]]) })),
      );
      requireAssetsGained(request, [address], assets.assets);
    }
    const assetCounts = spent
      .filter(({ address }) => address === vault.custody)
      .map(({ assets }) => BigInt(assets.size));
    const most = assetCounts.reduce((sum, assets) => sum + LOVELACE_OF_OUTPUT + assets * LOVELACE_OF_ASSET, 0n);
    requireLovelaceLostAtMost(request, [vault.custody, vault.claims], most);
  },
};

/**
 * A holder returns tokens to the pot and takes their share: no more than was recorded, and no more than what the pot on the ledger gives
 * for them. The rest of the transaction is the holder's, who signs it.
 */
export const claim: Rule<ClaimEvidence> = {
  keys: ['operator', 'vault'],
  mayCarry: [],
  lifetimeSeconds: lifetime.requested,
  evaluate(request, { vault, ftUnit, amount, payout, pot, supply }) {
    const { operator, spent } = request;
    const isOwn = spent.every(({ address }) => address === operator || address === vault.claims);
    requireInputsAtOrOfWallets(request, isOwn ? [vault.claims, operator] : [vault.claims]);
    requireAssetsGained(request, [vault.claims], new Map([[ftUnit, amount]]));
    requireLovelaceLostAtMost(request, [vault.claims], payout);
    assertAllowed(
      isWithinShare({ amount, payout, pot, supply }),
      `${payout} lovelace are more than the share of ${amount} tokens`,
    );
    // Nobody else signs for what the operator claims itself.
    if (isOwn) requireOutputsAt(request, [vault.claims, operator]);
    else assertAllowed(gainOf(request, [operator]).lovelace === 0n, 'the operator pays or gains');
  },
};

/** Whether a payout is no more than what a pot gives for so many tokens, while there are any in circulation. */
export function isWithinShare({ amount, payout, pot, supply }: Omit<ClaimEvidence, keyof OfSettledVault>): boolean {
  const circulating = supply - pot.redeemed;
  return circulating > 0n && payout * circulating <= amount * pot.lovelace;
}

/** What nobody claimed goes to the wallet that was named for it; the operator gets back what it lent for the outputs of the pot. */
export const payRemainder: Rule<RemainderEvidence> = {
  keys: ['operator', 'vault'],
  mayCarry: [],
  lifetimeSeconds: lifetime.prepared,
  operatorPays(request, { vault, recipient }) {
    const paid = gainOf(request, [recipient]).lovelace;
    return atLeastNothing(paid + minAdaAt(request, [vault.claims]) - lovelaceFrom(request, vault.claims));
  },
  evaluate(request, { vault, recipient, remainder, ftUnit, end, claims, ...recorded }) {
    requireEnd(request, end);
    requireClaimsOver(request, claims);
    const { operator, minAda } = request;
    requireInputsAt(request, [operator, vault.claims]);
    requireOutputsAt(request, [operator, vault.claims, recipient]);
    const paid = gainOf(request, [recipient]);
    const most = remainder < minAda.ofToken ? minAda.ofToken : remainder;
    assertAllowed(paid.assets.size === 0, 'assets leave with the remainder');
    assertAllowed(
      paid.lovelace >= remainder && paid.lovelace <= most,
      `${paid.lovelace} lovelace are paid of a remainder of ${remainder}`,
    );
    const tokens = gainOf(request, [vault.claims]).assets;
    assertAllowed((tokens.get(ftUnit) ?? 0n) === 0n, 'redeemed tokens leave the pot');
    const gain = gainOf(request, [operator]);
    const lent = lentToPot(request, recorded);
    assertAllowed(gain.assets.size === 0 && gain.lovelace <= lent, `the operator gains ${gain.lovelace} lovelace`);
  },
};

/** The vault's own tokens stay in custody, what can still be claimed in the pot; the ADA that neither needs goes back to the operator, who lent it. */
export const closeVault: Rule<ClosingEvidence> = {
  keys: ['operator', 'vault'],
  mayCarry: ['datum'],
  lifetimeSeconds: lifetime.prepared,
  operatorPays(request, { vault: { custody } }) {
    const lacking = minAdaAt(request, [custody]) - lovelaceFrom(request, custody);
    return lackingLovelace(request) + atLeastNothing(lacking);
  },
  evaluate(request, { vault, policies, end, ...recorded }) {
    requireEnd(request, end);
    const { operator, spent, minAda } = request;
    requireInputsAt(request, [operator, vault.custody, vault.claims]);
    requireOutputsAt(request, [operator, vault.custody, vault.claims]);
    const ofVault = spent.filter(({ address }) => address !== operator);
    const other = ofVault
      .flatMap(({ assets }) => [...assets.keys()])
      .find((unit) => !policies.includes(policyOf(unit)));
    assertAllowed(other === undefined, `it moves ${other}, which is not a token of the vault`);
    const identity = ofVault.filter(({ address }) => address === vault.custody).length;
    const lent = lentToPot(request, recorded) + BigInt(identity) * minAda.ofAny;
    const gain = gainOf(request, [operator]);
    assertAllowed(gain.assets.size === 0, 'tokens leave the vault');
    assertAllowed(gain.lovelace <= lent, `the operator gains ${gain.lovelace} lovelace of ${lent} that it lent`);
  },
};

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
