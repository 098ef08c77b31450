import { assetsById } from '../../assets/queries/listed-assets.ts';
import { policyOf, unitOf } from '../../assets/rules/asset.ts';
import { slotAt } from '../../cardano/ledger/slots.ts';
import { paymentKeyHashOf } from '../../cardano/scripts/address.ts';
import { stakeAddressOf } from '../../cardano/scripts/script-addresses.ts';
import type { KeyHash, Unit } from '../../cardano/transaction.ts';
import { findExecutionOfTransaction } from '../../executions/queries.ts';
import type { Signer } from '../../executions/rules/cosigners.ts';
import {
  isPriceCompared,
  isSaleAtVotedPrice,
  valueWithin,
  adminPricesOf,
} from '../../executions/rules/market-value.ts';
import { seenAt } from '../../ledger-follower/record-blocks.ts';
import { ServiceError } from '../../platform/errors.ts';
import { baseUnits, FULL_SHARE, lovelace } from '../../platform/units/money.ts';
import { type Price, valueOf } from '../../prices/rules.ts';
import { stakingAddressesOf } from '../../proposals/queries/anchored-actions.ts';
import { getProposal, type Proposal } from '../../proposals/queries/proposals.ts';
import type { ProposalEffect } from '../../proposals/rules/effects.ts';
import type { StakedCosigners, VoteEvidence } from '../evidence.ts';
import { anchoredFact } from './anchored-facts.ts';
import { type EvidenceContext, type Gather, type SettledVault, gatherVault } from './vault.ts';
import { mintedSupply } from './confirmed-mint.ts';
import { gatherSettledVault } from './settled-vault.ts';
import { sumOf, assertAllowed } from '../policy.ts';
import { mayCosignWith, anchoredCosigners, cosigningThreshold } from '../rules/execution.ts';
import { confirmedStakesAt, findStakeOfTransaction } from '../../staking/queries/stakes.ts';
import { stakesWithPower } from '../../staking/queries/vault-stakes.ts';
import { refText, type UtxoRef } from '../../transactions/rules.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';

/**
 * What the cosigners of an execution have staked on the ledger, each as far as they need for the threshold, and of how many tokens. Rows only say
 * at which scripts to look: what lies there is the key's in the script.
 */
export async function cosignerStakes(
  context: EvidenceContext,
  settled: SettledVault,
  { cosigners, threshold }: { readonly cosigners: readonly Signer[]; readonly threshold: bigint },
): Promise<StakedCosigners> {
  const supply = await governingSupply(context, settled);
  const byKey = new Map<KeyHash, bigint>();
  const unseen = new Map<KeyHash, readonly UtxoRef[]>();
  const enough = (staked: bigint) => mayCosignWith(staked, { threshold, supply });
  for (const cosigner of cosigners) {
    const found = await stakedOnLedger(context, settled, cosigner, enough);
    byKey.set(cosigner.keyHash, found.staked);
    if (found.unseen.length > 0) unseen.set(cosigner.keyHash, found.unseen);
  }
  return { supply, byKey, unseen };
}

/** All tokens that are on the ledger or, while holders claim, those that they have not returned. */
async function governingSupply(context: EvidenceContext, settled: SettledVault): Promise<bigint> {
  const { row, vault, ftUnit } = settled;
  const minted = await mintedSupply(context, settled);
  if (!row.claimsOpen) return minted;
  const { seen } = await seenAt(context, row.id, vault.claims);
  return minted - (sumOf(seen).assets.get(ftUnit) ?? 0n);
}

async function stakedOnLedger(
  { db, ledger, networkId, networkState }: EvidenceContext,
  { row, ftUnit, keyHashes }: SettledVault,
  { wallet, keyHash: ownerKeyHash }: Signer,
  enough: (staked: bigint) => boolean,
): Promise<{ readonly staked: bigint; readonly unseen: readonly UtxoRef[] }> {
  const [stakes, { anchor }] = await Promise.all([stakesWithPower(db, row.id, wallet), networkState()]);
  const addresses = new Set<string>();
  for (const { releaseSlot, vaultKeyHash } of stakes.toSorted((a, b) => (a.amount < b.amount ? 1 : -1))) {
    // From that slot on its owner takes it back alone.
    if (releaseSlot <= anchor.slot || !keyHashes.includes(vaultKeyHash)) continue;
    addresses.add(stakeAddressOf({ vaultKeyHash }, { ownerKeyHash, releaseSlot }, networkId).address);
  }
  let staked = 0n;
  const seen = new Set<string>();
  for (const address of addresses) {
    if (enough(staked)) break;
    const found = await ledger.walletUtxos(address, [ftUnit]);
    for (const output of found) seen.add(refText(output));
    staked += sumOf(found).assets.get(ftUnit) ?? 0n;
  }
  if (enough(staked)) return { staked, unseen: [] };
  const confirmation = await confirmedStakesAt(db, { vaultId: row.id, wallet, addresses: [...addresses] });
  return { staked, unseen: confirmation.filter((output) => !seen.has(refText(output))) };
}

interface Traded {
  readonly approved: ProposalEffect;
  readonly effect: ProposalEffect;
  /** What is sold, in base units. */
  readonly assets: ReadonlyMap<Unit, bigint>;
  /** What the admin of the vault has set for assets that the market does not value: what is sold at a price of the vote counts with it. */
  readonly adminPrices: ReadonlyMap<Unit, Price>;
}

/** The lovelace that the price feed gives for what is sold or bought, asked by the worker itself; null where the vote decided the price. */
export async function tradedValue(
  { priceSource }: Pick<EvidenceContext, 'priceSource'>,
  vault: Pick<Vault, 'claimsOpen'>,
  { approved, effect, assets, adminPrices }: Traded,
): Promise<bigint | null> {
  if (!isPriceCompared(approved, vault)) return null;
  const traded =
    effect.type === 'BUY'
      ? new Map([[effect.terms.policyId + effect.terms.assetNameHex, BigInt(effect.terms.quantity)]])
      : assets;
  const isFixed = isSaleAtVotedPrice(approved);
  const values = [...traded].map(async ([unit, quantity]) => {
    const policyId = policyOf(unit);
    const ofAdmin = isFixed ? adminPrices.get(unit) : undefined;
    const price = ofAdmin ?? (await priceSource.priceOf({ policyId, assetName: unit.slice(policyId.length) }));
    return isFixed ? valueWithin(baseUnits(quantity), price) : valueOf(baseUnits(quantity), price, FULL_SHARE);
  });
  return (await Promise.all(values)).reduce((sum, value) => sum + value, 0n);
}

/** Slots of the shortest phases that a proposal may have. */
export async function shortestPhases({
  durationBounds: { voting, lock },
  networkState,
}: Pick<EvidenceContext, 'durationBounds' | 'networkState'>): Promise<VoteEvidence['shortest']> {
  const { anchor } = await networkState();
  const slotsOf = (seconds: number) => Math.floor((seconds * 1000) / anchor.slotLengthMs);
  return { voting: slotsOf(voting.min), lock: slotsOf(lock.min) };
}

export const gatherExecution: Gather<'execute'> = async (context, recorded) => {
  const { db } = context;
  const [gathered, execution, chain] = await Promise.all([
    gatherSettledVault(context, recorded),
    findExecutionOfTransaction(db, recorded.id),
    context.networkState(),
  ]);
  const { row, vault } = gathered;
  assertAllowed(execution !== null && execution.vaultId === row.id, 'no execution of its vault is recorded with it');
  const { effect, proposalId, partner, cosigners, requiredCosigners } = execution;
  const [proposal, moved] = await Promise.all([getProposal(db, proposalId), assetsById(db, row.id, effect.assetIds)]);
  assertAllowed(proposal.vaultId === row.id && proposal.phases !== null, 'its proposal was never voted on');
  const vote = await gatherVote(context, proposal);
  assertAllowed(moved.length === effect.assetIds.length, 'assets that it moves are not recorded');
  // A rotation may have left fewer cosigners than the proposal requires.
  const registered = row.cosigners?.keyHashes.length ?? proposal.requiredCosigners;
  const { assets } = sumOf(
    moved.map((asset) => ({ lovelace: lovelace(0n), assets: new Map([[unitOf(asset), asset.quantity]]) })),
  );
  const { effect: approved } = proposal;
  const needed = Math.max(requiredCosigners, anchoredCosigners(vote));
  const signing = cosigners.map(({ wallet }) => ({ wallet, keyHash: paymentKeyHashOf(wallet) }));
  const isStaked = vault.cosigners === null && needed > 0;
  const threshold = cosigningThreshold(vote);
  return {
    vault,
    proposalId,
    vote,
    effect,
    approved,
    assets,
    marketValue: await tradedValue(context, row, { approved, effect, assets, adminPrices: adminPricesOf(moved) }),
    stakingAddresses: stakingAddressesOf(row),
    partner: partner && paymentKeyHashOf(partner.wallet),
    cosigners: signing.map(({ keyHash }) => keyHash),
    requiredCosigners: Math.max(requiredCosigners, Math.min(proposal.requiredCosigners, registered)),
    staked: isStaked ? await cosignerStakes(context, gathered, { cosigners: signing, threshold }) : null,
    claimsOpen: row.claimsOpen,
    lastSlot: slotAt(chain.anchor, proposal.phases.execution.endsAt),
  };
};

/** What was anchored of a vote. */
async function gatherVote(context: EvidenceContext, { id, vaultId, closing }: Proposal): Promise<VoteEvidence> {
  if (closing === null)
    throw new ServiceError('LEDGER_UNAVAILABLE', { reason: 'the end of its vote is not anchored yet' });
  const [created, closed, shortest] = await Promise.all([
    anchoredFact(context, id),
    anchoredFact(context, closing.factId),
    shortestPhases(context),
  ]);
  return { vaultId, created, closed, shortest };
}

export const gatherUnstake: Gather<'unstake'> = async (context, recorded) => {
  const { vault } = await gatherVault(context, recorded);
  const stake = await findStakeOfTransaction(context.db, 'unstake_transaction_id', recorded.id);
  assertAllowed(stake !== null && stake.vaultId === recorded.vaultId, 'no stake of its vault is recorded with it');
  // The worker signs with keys of the vault alone; the script says with which.
  return { vault, stakeKeyHash: stake.vaultKeyHash, releaseSlot: stake.releaseSlot };
};
