import { assetsById } from '../../assets/queries/listed-assets.ts';
import { unitOf, policyOf } from '../../assets/rules/asset.ts';
import { outputsMissing, seenAt } from '../../ledger-follower/record-blocks.ts';
import { ServiceError } from '../../platform/errors.ts';
import { signedLiquidations } from '../../proposals/queries/proposal-executions.ts';
import {
  type DecodedTransaction,
  decodeTransaction,
  validSignaturesOf,
  readUntrusted,
  decodeOutputs,
  keyWitnessesOf,
} from '../decoder.ts';
import type { EndEvidence, SignedDecision, ClaimsEvidence, LentEvidence } from '../evidence.ts';
import { anchoredFact } from './anchored-facts.ts';
import { type EvidenceContext, type Gather, slotsAfter, type SettledVault } from './vault.ts';
import { shortestPhases } from './execution.ts';
import { mintOfTerms, mintedSupply } from './confirmed-mint.ts';
import { gatherSettledVault } from './settled-vault.ts';
import { liquidatedBy, assertAllowed, sumOf } from '../policy.ts';
import { isWithinShare } from '../rules/termination.ts';
import { findClaimOfTransaction } from '../../termination/queries/claims.ts';
import { type Termination, findTermination } from '../../termination/queries/terminations.ts';
import { CLAIM_SECONDS } from '../../termination/rules/pot.ts';
import { vaultTransactions } from '../../transactions/queries/listed-transactions.ts';
import { depositsInTransaction } from '../../transactions/queries/recorded-transactions.ts';
import type { ChainTransaction } from '../../transactions/queries/transactions.ts';

/** What is known of the end of a vault. */
async function gatherEnd(
  context: EvidenceContext,
  settled: SettledVault,
  recipients: Termination,
): Promise<EndEvidence> {
  const mint = await mintOfTerms(context, settled);
  const { id: vaultId, terms, terminationReason, failedBecause } = settled.row;
  const { termination } = terms;
  const reason = terminationReason ?? failedBecause;
  const [endsFromSlot, decision] = await Promise.all([
    termination.type === 'PROGRAMMED' ? slotAfter(context, mint, termination.duration) : null,
    reason === 'liquidated' ? signedDecision(context, settled) : null,
  ]);
  return { vaultId, reason, recipients, terms: termination, endsFromSlot, decision };
}

/** The slot so many seconds after a transaction was in a block. */
async function slotAfter(
  { ledger, networkState }: EvidenceContext,
  { hash }: DecodedTransaction,
  seconds: number,
): Promise<number> {
  const confirmation = await ledger.transaction(hash);
  const block = confirmation && (await ledger.block(confirmation.blockHash));
  if (!block) throw new ServiceError('LEDGER_UNAVAILABLE', { reason: `transaction ${hash} is in no block` });
  return slotsAfter(await networkState(), block.slot, seconds);
}

/**
 * The decision to liquidate the vault. Its key has signed it, as only the worker can when the policy allows it; a rollback may have taken it from
 * the ledger after the vault began to end. An earlier one may have been lost, and have named others: the one on the ledger counts, or else
 * the newest.
 */
async function signedDecision(
  context: EvidenceContext,
  { row, keyHashes }: SettledVault,
): Promise<SignedDecision | null> {
  const signed = await signedLiquidations(context.db, row.id);
  const decisions = signed.flatMap((bytes) => readUntrusted(bytes, (one) => decisionIn(one, keyHashes)) ?? []);
  const decision = (decisions.length > 1 ? await confirmedOf(context, decisions) : undefined) ?? decisions[0];
  if (!decision) return null;
  const { proposalId, ttlSlot } = decision;
  const [created, shortest] = await Promise.all([anchoredFact(context, proposalId), shortestPhases(context)]);
  return { proposalId, ttlSlot, created, shortest };
}

interface SignedLiquidation {
  readonly hash: string;
  readonly proposalId: string;
  readonly ttlSlot: number;
}

function decisionIn(signed: string, keyHashes: readonly string[]): SignedLiquidation | null {
  const { ttlSlot, ...transaction } = decodeTransaction(signed);
  const proposalId = liquidatedBy(transaction);
  const isSigned = validSignaturesOf(signed).signers.some((key) => keyHashes.includes(key));
  const isDecision = isSigned && typeof proposalId === 'string' && ttlSlot !== null;
  return isDecision ? { hash: transaction.hash, proposalId, ttlSlot } : null;
}

async function confirmedOf(
  { ledger }: EvidenceContext,
  decisions: readonly SignedLiquidation[],
): Promise<SignedLiquidation | undefined> {
  const confirmation = await Promise.all(decisions.map(({ hash }) => ledger.transaction(hash)));
  return decisions.find((_, place) => confirmation[place] !== null);
}

/**
 * The supply is what was minted on the ledger, by whatever mint, and the pot what lies there at the claims address, whatever is counted. Where that is too little and outputs are missing, the
 * backend lags behind and is asked again: it may hide the very output that the claim spends. What is hidden only makes a share smaller.
 */
export const gatherClaim: Gather<'claim'> = async (context, recorded) => {
  const settled = await gatherSettledVault(context, recorded);
  const { row, vault, ftUnit } = settled;
  const claim = await findClaimOfTransaction(context.db, recorded.id);
  assertAllowed(claim !== null && claim.vaultId === row.id, 'no claim of its vault is recorded with it');
  const { seen, unseen } = await seenAt(context, row.id, vault.claims);
  const held = sumOf(seen);
  const pot = { lovelace: held.lovelace, redeemed: held.assets.get(ftUnit) ?? 0n };
  const supply = await mintedSupply(context, settled);
  const share = { amount: claim.amount, payout: claim.payout, pot, supply };
  if (unseen.length > 0 && !isWithinShare(share)) throw outputsMissing(vault.claims, unseen);
  return { vault, ftUnit, ...share };
};

/**
 * When holders cannot claim any more: their time begins after the pot was gathered on the ledger, and the terms to which the mint has
 * committed say how long it is at least.
 */
export async function gatherClaimsOver(context: EvidenceContext, settled: SettledVault): Promise<ClaimsEvidence> {
  const { row, vault, ftUnit } = settled;
  const { claimSeconds = CLAIM_SECONDS } = row.terms.termination;
  const [{ seen, unseen }, supply, gatherings, chain] = await Promise.all([
    seenAt(context, row.id, vault.claims),
    mintedSupply(context, settled),
    confirmedGatherings(context, settled),
    context.networkState(),
  ]);
  const circulating = supply - (sumOf(seen).assets.get(ftUnit) ?? 0n);
  const overFromSlot = slotsAfter(chain, Math.min(...gatherings.map(({ slot }) => slot)), claimSeconds);
  // A backend that lags behind hides tokens that were returned.
  if (circulating > 0n && unseen.length > 0 && chain.anchor.slot < overFromSlot)
    throw outputsMissing(vault.claims, unseen);
  return { circulating, overFromSlot };
}

interface ConfirmedGathering {
  readonly slot: number;
  /** Outputs of the pot that it made. */
  readonly pots: number;
}

/** The transactions on the ledger by which the vault has gathered its pot, one at least. */
async function confirmedGatherings(
  { db, ledger }: EvidenceContext,
  { row, vault, keyHashes }: SettledVault,
): Promise<ConfirmedGathering[]> {
  const gatherings: ConfirmedGathering[] = [];
  for (const { hash } of await vaultTransactions(db, row.id, ['gather_pot'])) {
    const [bytes, confirmation] = await Promise.all([ledger.transactionCbor(hash), ledger.transaction(hash)]);
    const pots = readUntrusted(bytes, (made) => {
      const { outputs } = decodeOutputs(made);
      const { hash: found, signers } = keyWitnessesOf(made);
      const isSigned = found === hash && signers.some((key) => keyHashes.includes(key));
      return isSigned ? outputs.filter(({ address }) => address === vault.claims).length : 0;
    });
    const block = pots && confirmation ? await ledger.block(confirmation.blockHash) : null;
    if (pots && block) gatherings.push({ slot: block.slot, pots });
  }
  if (gatherings.length > 0) return gatherings;
  throw new ServiceError('LEDGER_UNAVAILABLE', { reason: `the pot of vault ${row.id} is in no block` });
}

export const gatherPotEvidence: Gather<'gather_pot'> = async (context, recorded) => {
  const { vault, ftUnit, end } = await gatherEndingVault(context, recorded);
  return { vault, ftUnit, end };
};

export const gatherHandOver: Gather<'hand_over'> = async (context, recorded) => {
  const ending = await gatherEndingVault(context, recorded);
  const { row, vault, ftUnit, termination, end } = ending;
  const linked = await depositsInTransaction(context.db, recorded.id);
  const ids = linked.map(({ depositId }) => depositId);
  const assets = await assetsById(context.db, row.id, ids);
  assertAllowed(assets.length === ids.length && ids.length > 0, 'assets that it hands over are not recorded');
  const handed = assets.map((asset) => ({
    unit: unitOf(asset),
    quantity: asset.quantity,
    ...recipientOf(termination, asset.id),
  }));
  const given = new Set(termination.handedAssets.map(({ assetId }) => assetId));
  const isLeft = ids.some((id) => !given.has(id));
  const claims = isLeft ? await gatherClaimsOver(context, ending) : null;
  return { vault, ftUnit, end, handed, claims };
};

export const gatherRemainder: Gather<'pay_remainder'> = async (context, recorded) => {
  const ending = await gatherEndingVault(context, recorded);
  const { vault, ftUnit, termination, end } = ending;
  const { unclaimedLovelaceTo: recipient, pot, endedBecause } = termination;
  assertAllowed(recipient !== null, 'nobody was named for what is left');
  assertAllowed(endedBecause !== null, 'the claims are not over');
  const claims = await gatherClaimsOver(context, ending);
  return { vault, ftUnit, end, recipient, remainder: pot.lovelace, ...(await gatherLent(context, ending)), claims };
};

export const gatherClosing: Gather<'close_vault'> = async (context, recorded) => {
  const ending = await gatherEndingVault(context, recorded);
  const { row, vault, ftUnit, termination, end } = ending;
  assertAllowed(termination.endedBecause !== null, 'the claims are not over');
  return { vault, ftUnit, end, policies: [row.policyId, policyOf(ftUnit)], ...(await gatherLent(context, ending)) };
};

async function gatherEndingVault(context: EvidenceContext, recorded: ChainTransaction) {
  const settled = await gatherSettledVault(context, recorded);
  const termination = await findTermination(context.db, settled.row.id);
  assertAllowed(termination !== null, 'its vault does not end');
  return { ...settled, termination, end: await gatherEnd(context, settled, termination) };
}

/** What the operator lent by its row, and for how many outputs of the pot by the ledger. */
async function gatherLent(
  context: EvidenceContext,
  ending: Awaited<ReturnType<typeof gatherEndingVault>>,
): Promise<LentEvidence> {
  const { float } = ending.termination;
  const gatherings = float === 0n ? [] : await confirmedGatherings(context, ending);
  return { float, pots: gatherings.reduce((sum, { pots }) => sum + pots, 0) };
}

function recipientOf({ handedAssets, remainingAssetsTo, endedBecause }: Termination, assetId: string) {
  const others = endedBecause === null ? null : remainingAssetsTo;
  const address = handedAssets.find((handed) => handed.assetId === assetId)?.address ?? others;
  assertAllowed(address !== null, `nobody was named for asset ${assetId}`);
  return { address };
}
