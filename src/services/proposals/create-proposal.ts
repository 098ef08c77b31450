import type { AnchoringContext } from '../../anchoring/anchors.ts';
import type { Caller } from '../../domain/identity/caller.ts';
import { parseWalletAddress } from '../../chain/scripts/address.ts';
import type { NetworkId } from '../../chain/transaction.ts';
import { requireFreeAssets } from '../../domain/proposal/affected-assets.ts';
import { requiredCosigners } from '../../domain/execution/cosigning.ts';
import { type DurationBounds } from '../../domain/units/duration.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { BasisPoints } from '../../domain/units/money.ts';
import { draftDeadline, type PhaseDurations, defaultPhaseDurations } from '../../domain/proposal/phases.ts';
import { durationProblems, proposalThresholds, requireCreationThreshold } from '../../domain/proposal/thresholds.ts';
import { requireForeign } from '../executions/effects/buy.ts';
import { requireListed } from '../executions/effects/stake.ts';
import { vaultAssets } from '../../store/vault-assets.ts';
import { insertProposal, type NewProposal } from '../../store/proposals.ts';
import { passedProposals } from '../../store/vault-proposals.ts';
import { stakedPower } from '../../store/voting-powers.ts';
import { stakersAbove } from '../../store/stakers.ts';
import { recordEvent } from '../../store/events.ts';
import { governanceSettings } from '../../store/governance-settings.ts';
import type { Vault } from '../../store/vaults.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { proposalWorkflowId } from '../../temporal/workflow-ids.ts';
import type { ServiceContext } from '../context.ts';
import { proposalAnchorPayload } from './anchor-payloads.ts';
import {
  fieldsOfProposal,
  type ProposalRequest,
  parseDurations,
  parseThresholds,
  parseEffect,
} from '../../http/proposals/request.ts';
import { requireReadableVault } from '../vaults/vault-access.ts';
import type { Actor } from '../actor.ts';
import { publish } from '../publish.ts';
import { requireLockedVault } from '../vaults/require-vault.ts';
import { openWhenEndorsed } from './open-voting.ts';

interface Wish {
  readonly vaultId: string;
  readonly request: ProposalRequest;
  readonly proposer: Actor;
  readonly caller: Caller;
  readonly correlationId: string;
}

export interface ProposalCreated {
  readonly proposal: NewProposal;
  readonly transactionHash: string;
}

/**
 * Records a proposal and starts its workflow; voting opens at once when its proposer's stake is enough for that. Raises
 * VAULT_NOT_FOUND, VAULT_NOT_LOCKED, VAULT_ALREADY_ENDED, THRESHOLD_BELOW_VAULT, CREATION_THRESHOLD_NOT_MET,
 * ASSET_NOT_IN_VAULT, ASSET_IN_ANOTHER_PROPOSAL, ASSET_IS_VAULT_TOKEN, STAKING_ADDRESS_NOT_LISTED and what a field's own code says.
 */
export async function createProposal(
  work: AnchoringContext,
  { ids, networkId, durationBounds }: Pick<ServiceContext, 'ids' | 'networkId' | 'durationBounds'>,
  { vaultId, request, proposer, caller, correlationId }: Wish,
): Promise<ProposalCreated> {
  const { tx, now } = work;
  const vault = await requireReadableVault({ db: tx }, caller, vaultId);
  requireLockedVault(vault);
  const thresholds = proposalThresholds(vault.terms.governance, parseThresholds(request));
  const id = ids.next();
  const held = (await vaultAssets(tx, vaultId, ['LOCKED'])).map(({ assetName, ...asset }) => ({
    ...asset,
    assetNameHex: assetName,
  }));
  const effect = parseEffect(request.proposal_details, held, networkId, fieldsOfProposal);
  if (effect.type === 'STAKE') requireListed(effect, vault);
  if (effect.type === 'BUY') requireForeign(effect, vault);
  const field = 'proposal_details.affected_assets';
  requireFreeAssets(effect.assetIds, await passedProposals(tx, { id, vaultId }, now), field);
  const { ftSupply: supply } = vault.terms;
  const power = await stakedPower(tx, vaultId, proposer.address, now);
  requireCreationThreshold({ power, supply, threshold: thresholds.creation });

  const { title, description } = request.proposal_details;
  const eligibleAt = async (threshold: BasisPoints) =>
    vault.cosigners?.keyHashes.length ?? (await keysOfStakersAbove(work, vault, threshold, networkId));
  const proposal: NewProposal = {
    id,
    vaultId,
    proposer: proposer.address,
    title,
    description,
    effect,
    thresholds,
    durations: durationsOf(vault, request, durationBounds),
    requiredCosigners: requiredCosigners({
      vault: cosignersOf(vault),
      requested: request.governance_thresholds.required_cosigners,
      eligibleInVault: await eligibleAt(vault.terms.governance.cosigning),
      eligible: await eligibleAt(thresholds.cosigning),
    }),
    draftExpiresAt: draftDeadline(now),
    createdAt: now,
  };
  await insertProposal(tx, proposal);
  const opened = await openWhenEndorsed(work, vault, id);
  const start = { kind: 'start', workflow: 'proposal', proposalId: id, vaultId } as const;
  await enqueueWorkflowMessage({ tx, ids }, proposalWorkflowId(id), start);

  const transactionHash = await work.anchor({ factId: id, vaultId, fact: proposalAnchorPayload(proposal) });
  const data = { proposalId: id, type: effect.type, title, status: opened ? 'ACTIVE' : 'DRAFT' };
  const told = { vaultId, actor: proposer.address, transactionHash, correlationId, data };
  await recordEvent({ tx, ids, now }, { type: 'PROPOSAL_CREATED', ...told });
  const deed = { action: 'PROPOSAL_CREATED', resource: { type: 'proposal', id }, caller } as const;
  const { onBehalfOf } = proposer;
  await publish({ tx, ids, now }, { audit: { ...deed, onBehalfOf, metadata: { vaultId, transactionHash } } });
  return { proposal, transactionHash };
}

/** Far more than a proposal can ask for: beyond that it does not matter who has several addresses. */
const MANY_STAKERS = 1000;

/** How many keys could cosign: a wallet that staked from several addresses of one key signs once. */
async function keysOfStakersAbove(
  { tx, now }: AnchoringContext,
  { id, terms: { ftSupply: supply } }: Vault,
  threshold: BasisPoints,
  networkId: NetworkId,
): Promise<number> {
  const { stakers } = await stakersAbove(tx, id, { threshold, supply, limit: MANY_STAKERS, offset: 0 }, now);
  if (stakers.length === MANY_STAKERS) return stakers.length;
  return new Set(stakers.map(({ wallet }) => parseWalletAddress(wallet, networkId).paymentKeyHash)).size;
}

/** What the proposal asks for, else its vault, else what is usual; raises INVALID_REQUEST. */
function durationsOf(vault: Vault, request: ProposalRequest, bounds: DurationBounds): PhaseDurations {
  const asked = parseDurations(request);
  const errors = durationProblems(asked, bounds, 'phases.');
  if (errors.length > 0) throw new ServiceError('INVALID_REQUEST', { errors });
  const { votingSeconds, lockSeconds, executionSeconds } = governanceSettings(vault);
  const usual = defaultPhaseDurations(bounds);
  return {
    voting: asked.voting ?? votingSeconds ?? usual.voting,
    lock: asked.lock ?? lockSeconds ?? usual.lock,
    execution: asked.execution ?? executionSeconds ?? usual.execution,
  };
}

/** Undefined where its creator named no number. */
function cosignersOf(vault: Vault): number | undefined {
  return vault.cosigners?.required ?? governanceSettings(vault).requiredCosigners;
}
