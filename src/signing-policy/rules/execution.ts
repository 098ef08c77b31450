import type { KeyHash } from '../../cardano/transaction.ts';
import { ServiceError } from '../../platform/errors.ts';
import { basisPoints, reachesShare } from '../../platform/units/money.ts';
import type { ProposalEffect, PurchaseTerms, SaleTerms, StakingTerms } from '../../proposals/rules/effects.ts';
import type { ExecutionEvidence, AnchoredFact } from '../evidence.ts';
import { addressBytes, atLeastNothing, lovelaceFrom, minAdaApart, minAdaAt } from '../min-ada.ts';
import {
  type SigningRequest,
  assertAllowed,
  type Rule,
  requireAssetsGained,
  requireInputsAtOrOfWallets,
  requireLovelaceLostAtMost,
  negated,
  gainOf,
  requireInputsAt,
  requireOperatorGainsNothing,
  requireOutputsAt,
  liquidatedBy,
} from '../policy.ts';
import { refText } from '../../transactions/rules.ts';

/** More than the longest execution phase; each transaction ends with its own. */
const LONGEST_PHASE_SECONDS = 31 * 86_400;

/**
 * An execution does what its vote approved, with the signatures of as many cosigners as it needs and of its partner: what a thief writes
 * into Postgres is none of them. What the vote approved is on the ledger for as long as votes and lock phases last.
 */
export const execute: Rule<ExecutionEvidence> = {
  keys: ['operator', 'vault'],
  mayCarry: ['metadata'],
  lifetimeSeconds: LONGEST_PHASE_SECONDS,
  operatorPays: (request, evidence) => (isStakingOut(evidence) ? lackingToStake(request, evidence) : 0n),
  evaluate(request, evidence) {
    const { transaction } = request;
    const { effect, approved, lastSlot } = evidence;
    assertAllowed((transaction.ttlSlot ?? Infinity) <= lastSlot, 'it could land after its execution phase');
    assertAllowed(isApproved(effect, approved), 'it does something else than the vote approved');
    evaluateVote(request, evidence);
    requireSigned(request, evidence);
    assertAllowed(effect.type === 'LIQUIDATE' || transaction.metadata === null, 'it carries metadata');
    evaluateEffect(request, evidence);
    // Comes last: where a backend hides stakes, an execution waits that nothing else refuses.
    requireCosigned(request, evidence);
  },
};

function evaluateEffect(request: SigningRequest, evidence: ExecutionEvidence): void {
  const { effect } = evidence;
  switch (effect.type) {
    case 'ASSET_SALE':
      evaluateSale(request, evidence, effect.terms);
      return;
    case 'BUY':
      evaluatePurchase(request, evidence, effect.terms);
      return;
    case 'STAKE':
      evaluateStaking(request, evidence, effect.terms);
      return;
    case 'LIQUIDATE':
      evaluateDecision(request, evidence);
  }
}

/** Whether an effect is the approved one; terms that the vote left open may be anything. */
function isApproved(effect: ProposalEffect, approved: ProposalEffect): boolean {
  const terms = new Map<string, unknown>(Object.entries(effect.terms));
  return (
    effect.type === approved.type &&
    effect.assetIds.length === approved.assetIds.length &&
    effect.assetIds.every((id) => approved.assetIds.includes(id)) &&
    Object.entries(approved.terms).every(([name, term]) => term === null || terms.get(name) === term)
  );
}

function requireSigned(request: SigningRequest, evidence: ExecutionEvidence): void {
  const { transaction, signedBy } = request;
  const { vault, partner, cosigners, requiredCosigners } = evidence;
  const isNamed = (key: KeyHash) => transaction.requiredSigners.includes(key);
  assertAllowed(isNamed(vault.vaultKeyHash), 'its body does not name the vault as a signer');
  const keys = [...new Set(cosigners)];
  assertAllowed(
    requiredCosigners < keys.length || keys.every(isNamed),
    'its body does not name every cosigner as a signer',
  );
  assertAllowed(partner === null || signedBy.has(partner), 'its buyer, seller or holder has not signed it');
}

/**
 * Throws unless as many cosigners have signed as were anchored with the proposal, each of whom its vault registers or, where it registers none,
 * who has staked so much on the ledger as was anchored.
 */
function requireCosigned({ signedBy }: SigningRequest, evidence: ExecutionEvidence): void {
  const { cosigners, requiredCosigners, vault, vote, staked } = evidence;
  const anchored = anchoredCosigners(vote);
  // A rotation may have left fewer cosigners than the proposal requires.
  const required = Math.max(requiredCosigners, Math.min(anchored, vault.cosigners?.keyHashes.length ?? anchored));
  const signing = [...new Set(cosigners)].filter((key) => signedBy.has(key));
  const signed = signing.filter((key) => mayCosign(key, evidence)).length;
  const unseen = signing.map((key) => staked?.unseen.get(key) ?? []).filter((refs) => refs.length > 0);
  // The backend lags behind, and is asked again.
  if (signed < required && signed + unseen.length >= required)
    throw new ServiceError('LEDGER_UNAVAILABLE', {
      reason: `stakes of cosigners are missing: ${unseen.flat().map(refText).join(', ')}`,
    });
  assertAllowed(signed >= required, `${signed} of ${required} cosigners have signed it`);
}

function mayCosign(key: KeyHash, { vault, staked, vote }: ExecutionEvidence): boolean {
  if (vault.cosigners) return vault.cosigners.keyHashes.includes(key);
  if (staked === null) return false;
  return mayCosignWith(staked.byKey.get(key) ?? 0n, { threshold: cosigningThreshold(vote), supply: staked.supply });
}

/** How many cosigners were anchored with the proposal. */
export function anchoredCosigners({ created }: Pick<ExecutionEvidence['vote'], 'created'>): number {
  return Number(created.fact['requiredCosigners'] ?? 0);
}

/** The share of the supply in basis points, anchored with the proposal, that a cosigner must have staked. */
export function cosigningThreshold({ created }: Pick<ExecutionEvidence['vote'], 'created'>): bigint {
  const { cosigning = '0' } = created.fact['thresholds'] as { readonly cosigning?: string };
  return BigInt(cosigning);
}

/** Whether who has staked so much may cosign. */
export function mayCosignWith(
  staked: bigint,
  { threshold, supply }: { readonly threshold: bigint; readonly supply: bigint },
): boolean {
  return staked > 0n && reachesShare(staked, basisPoints(threshold), supply);
}

/**
 * What is executed was anchored when it was proposed, and so was its vote when it was closed, both long enough ago. Whoever writes Postgres
 * can have forged facts anchored, but not in the past: until then everybody sees the proposal. An anchor may be late, so
 * that half of the shortest phases is enough.
 */
function evaluateVote({ slot }: SigningRequest, { proposalId, approved, assets, vote }: ExecutionEvidence): void {
  const { vaultId, created, closed, shortest } = vote;
  const isOf = ({ fact }: AnchoredFact, kind: string) =>
    fact['kind'] === kind && fact['proposalId'] === proposalId && fact['vaultId'] === vaultId;
  assertAllowed(isOf(created, 'proposal_created'), 'another proposal was anchored');
  assertAllowed(isSame(created.fact['effect'], approved), 'something else was anchored when it was proposed');
  requireAnchoredAssets(created, assets);
  assertAllowed(isOf(closed, 'proposal_closed'), 'the end of another vote was anchored');
  assertAllowed(closed.fact['outcome'] === 'passed', 'its vote did not pass it');
  assertAllowed(slot - created.slot >= (shortest.voting + shortest.lock) / 2, 'it was proposed too short a time ago');
  assertAllowed(slot - closed.slot >= shortest.lock / 2, 'its vote ended too short a time ago');
}

/** Throws unless what moves are the assets that the ids of the effect named when it was proposed, whatever their rows have come to say. */
function requireAnchoredAssets({ fact }: AnchoredFact, assets: ExecutionEvidence['assets']): void {
  const named = fact['assets'] as readonly { readonly unit: string; readonly quantity: string }[] | undefined;
  assertAllowed(named !== undefined, 'its assets were not anchored when it was proposed');
  for (const [unit, quantity] of assets) {
    const most = named.filter((asset) => asset.unit === unit).reduce((sum, one) => sum + BigInt(one.quantity), 0n);
    assertAllowed(quantity <= most, `${quantity} of ${unit} move, of which ${most} were anchored when it was proposed`);
  }
}

/** Facts have every term as text. */
function isSame(anchored: unknown, { type, assetIds, terms }: ProposalEffect): boolean {
  const effect = anchored as { type: unknown; assetIds: readonly unknown[]; terms: Record<string, unknown> };
  const approved = Object.entries(terms) as [string, string | bigint | null | undefined][];
  return (
    effect.type === type &&
    effect.assetIds.length === assetIds.length &&
    assetIds.every((id, index) => effect.assetIds[index] === id) &&
    approved.every(([name, term]) => (effect.terms[name] ?? null) === (term == null ? null : String(term)))
  );
}

/** The vault gets the bought asset for its price and the fee. The rest is the seller's, who signs it. */
function evaluatePurchase(
  request: SigningRequest,
  { vault, marketValue }: ExecutionEvidence,
  terms: PurchaseTerms,
): void {
  const { policyId, assetNameHex, quantity, price } = terms;
  assertAllowed(price !== null, 'its price is not decided');
  // As in a sale.
  assertAllowed(marketValue === null || price <= marketValue * 2n, 'it costs more than twice what the market takes');
  requireInputsAtOrOfWallets(request, [vault.custody]);
  requireAssetsGained(request, [vault.custody], new Map([[policyId + assetNameHex, quantity]]));
  requireLovelaceLostAtMost(request, [vault.custody], price + request.transaction.fee);
}

/** The vault gives the sold assets, and has the price and nothing less afterwards. The rest is the buyer's, who signs it. */
function evaluateSale(
  request: SigningRequest,
  { vault, assets, claimsOpen, marketValue }: ExecutionEvidence,
  { price }: SaleTerms,
): void {
  assertAllowed(price !== null, 'its price is not decided');
  // The market moves between the request and the signature: half of its price is no thief's.
  assertAllowed(marketValue === null || price * 2n >= marketValue, 'it brings less than half of what the market gives');
  const places = claimsOpen ? [vault.custody, vault.claims] : [vault.custody];
  requireInputsAtOrOfWallets(request, [vault.custody]);
  requireAssetsGained(request, places, negated(assets));
  requireLovelaceLostAtMost(request, places, 0n - price);
}

/** Assets move to one of the vault's staking addresses with little more than their min-ADA, or back to custody. */
function evaluateStaking(request: SigningRequest, evidence: ExecutionEvidence, terms: StakingTerms): void {
  const { stakingAddress, direction } = terms;
  assertAllowed(evidence.stakingAddresses.includes(stakingAddress), `the vault does not stake at ${stakingAddress}`);
  const most = BigInt(evidence.assets.size + 1) * request.minAda.ofToken;
  requireOperatorGainsNothing(request);
  if (direction === 'out') evaluateStakeOut(request, evidence, stakingAddress, most);
  else evaluateStakeBack(request, evidence, stakingAddress);
}

function isStakingOut({ effect }: Pick<ExecutionEvidence, 'effect'>): boolean {
  return effect.type === 'STAKE' && effect.terms.direction === 'out';
}

/** What the vault's outputs lack to the ADA that assets take along, each as much as it needs at the longest address. It returns with them. */
function lackingToStake(request: SigningRequest, { vault, assets }: ExecutionEvidence): bigint {
  const taken = minAdaApart(request, assets, addressBytes.longest);
  return atLeastNothing(taken + minAdaAt(request, [vault.custody]) - lovelaceFrom(request, vault.custody));
}

function evaluateStakeOut(
  request: SigningRequest,
  { vault, assets }: ExecutionEvidence,
  stakingAddress: string,
  most: bigint,
): void {
  requireInputsAt(request, [request.operator, vault.custody]);
  requireOutputsAt(request, [request.operator, vault.custody, stakingAddress]);
  requireAssetsGained(request, [stakingAddress], assets);
  requireAssetsGained(request, [vault.custody], negated(assets));
  const moved = gainOf(request, [stakingAddress]).lovelace;
  assertAllowed(moved <= most, `${moved} lovelace leave with the assets, above ${most}`);
}

function evaluateStakeBack(request: SigningRequest, { vault, assets }: ExecutionEvidence, holder: string): void {
  const { operator, transaction } = request;
  requireInputsAt(request, [operator, vault.custody, holder]);
  requireOutputsAt(request, [operator, vault.custody, holder]);
  requireAssetsGained(request, [vault.custody], assets);
  requireLovelaceLostAtMost(request, [vault.custody, operator], transaction.fee);
  const least = minAdaApart(request, assets, addressBytes.vault);
  const returned = gainOf(request, [vault.custody, operator]).lovelace + transaction.fee;
  assertAllowed(returned >= least, `${returned} lovelace return with the assets, below ${least}`);
}

/** The decision to liquidate moves nothing but the operator's fee, and names its proposal. */
function evaluateDecision(request: SigningRequest, { proposalId }: ExecutionEvidence): void {
  const { operator, transaction } = request;
  requireInputsAt(request, [operator]);
  requireOutputsAt(request, [operator]);
  assertAllowed(liquidatedBy(transaction) === proposalId, 'it records another decision');
}
