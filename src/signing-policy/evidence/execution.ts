import { paymentKeyHashOf } from '../../cardano/scripts/address.ts';
import { slotAt } from '../../cardano/ledger/slots.ts';
import { unitOf } from '../../assets/rules/asset.ts';
import { ServiceError } from '../../platform/errors/errors.ts';
import { adminPricesOf } from '../../executions/rules/market-value.ts';
import type { VoteEvidence } from '../evidence.ts';
import { requireJust } from '../judged.ts';
import { sumOf } from '../flows.ts';
import { anchoredCosigners, cosigningThreshold } from '../rules/execution/cosigners.ts';
import { lovelace } from '../../platform/units/money.ts';
import { findExecutionOfTransaction } from '../../executions/queries/executions.ts';
import { stakingAddressesOf } from '../../proposals/queries/governance-settings.ts';
import { getProposal, type Proposal } from '../../proposals/queries/proposals.ts';
import { assetsById } from '../../assets/queries/vault-assets.ts';
import { anchoredFact } from './anchored-facts.ts';
import type { EvidenceContext, Gather } from './evidence-context.ts';
import { cosignerStakes } from './cosigner-stakes.ts';
import { tradedValue } from './market-value.ts';
import { shortestPhases } from './shortest-phases.ts';
import { gatherSettledVault } from './settled-vault.ts';

export const gatherExecution: Gather<'execute'> = async (context, recorded) => {
  const { db } = context;
  const [gathered, execution, chain] = await Promise.all([
    gatherSettledVault(context, recorded),
    findExecutionOfTransaction(db, recorded.id),
    context.networkState(),
  ]);
  const { row, vault } = gathered;
  requireJust(execution !== null && execution.vaultId === row.id, 'no execution of its vault is recorded with it');
  const { effect, proposalId, partner, cosigners, requiredCosigners } = execution;
  const [proposal, moved] = await Promise.all([getProposal(db, proposalId), assetsById(db, row.id, effect.assetIds)]);
  requireJust(proposal.vaultId === row.id && proposal.phases !== null, 'its proposal was never voted on');
  const vote = await gatherVote(context, proposal);
  requireJust(moved.length === effect.assetIds.length, 'assets that it moves are not recorded');
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

/** What was anchored of a vote. Throws LEDGER_UNAVAILABLE while its end is not, and as `anchoredFact` does. */
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
