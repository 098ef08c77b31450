import { type ActingWallet, requirePlatform } from '../access/acting-wallet.ts';
import type { Caller } from '../access/rules.ts';
import type { AnchoringContext } from '../anchoring/anchors.ts';
import { proposalAnchorPayload } from '../anchoring/facts.ts';
import type { Asset } from '../assets/queries/assets.ts';
import { vaultAssets } from '../assets/queries/listed-assets.ts';
import type { AnchoredActionQuota, ServiceContext } from '../context.ts';
import { publishAction } from '../events/publish.ts';
import { requireBuyable, requireListed } from '../executions/rules/effects.ts';
import { requireNotPaused } from '../operations/require-not-paused.ts';
import { takeLocks } from '../platform/database/locks.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { ServiceError } from '../platform/errors.ts';
import { proposalWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { openWhenEndorsed, requireEndBeforeClaims } from './phases.ts';
import { phaseDurations, requiredProposalCosigners } from './proposal-settings.ts';
import { stakingAddressesOf, latestAnchoredActions, recordAnchoredActions } from './queries/anchored-actions.ts';
import { insertProposal, type NewProposal } from './queries/proposals.ts';
import { passedProposals } from './queries/viewed-proposals.ts';
import { requireFreeAssets } from './rules/affected-assets.ts';
import { type ProposalEffect, proposalEffectFields, type RequestedEffect, resolveEffect } from './rules/effects.ts';
import { draftDeadline, type PhaseDurations } from './rules/phases.ts';
import {
  proposalThresholds,
  requireCreationThreshold,
  type RequestedThresholds,
  type AnchoredActionKind,
  anchoredActionRefusals,
  anchoredActionsCountSince,
} from './rules/proposal.ts';
import { governingSupplyOf } from '../staking/queries/vault-stakes.ts';
import { requireOthersThanOperator } from '../termination/rules/pot.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { requireVaultProposing, requireReadableVault } from '../vaults/require-vault.ts';
import { stakedPower } from '../votes/queries/voting-powers.ts';

/** A proposal as it is requested. */
export interface NewProposalParams {
  readonly title: string;
  readonly description: string;
  readonly effect: RequestedEffect;
  readonly thresholds: RequestedThresholds;
  /** Undefined where the proposal sets no number. */
  readonly requiredCosigners: number | undefined;
  readonly durations: Partial<PhaseDurations>;
}

interface ProposalInput {
  readonly vaultId: string;
  readonly params: NewProposalParams;
  readonly proposer: ActingWallet;
  readonly caller: Caller;
  readonly correlationId: string;
}

interface ProposalCreated {
  readonly proposal: NewProposal;
  readonly transactionHash: string;
}

/** Records a proposal and starts its workflow. Voting opens at once when the proposer's stake reaches the start threshold. */
export async function createProposal(
  context: AnchoringContext,
  services: ServiceContext & AnchoredActionQuota,
  input: ProposalInput,
): Promise<ProposalCreated> {
  const { tx } = context;
  const { vaultId } = input;
  await requireNotPaused(tx, 'governance');
  const vault = await requireReadableVault(tx, input.caller, vaultId);
  requireVaultProposing(vault, input.params.effect);
  const { proposal, moved } = await planProposal(context, services, vault, input);
  const { id } = proposal;
  await countAnchoredAction(context, services, { wallet: proposal.proposer, kind: 'proposal' });
  await insertProposal(tx, proposal);
  const opened = await openWhenEndorsed(context, vault, id);
  const start = { kind: 'start', workflow: 'proposal', proposalId: id, vaultId } as const;
  await enqueueWorkflowMessage(context, proposalWorkflowId(id), start);
  const transactionHash = await context.anchor({ factId: id, vaultId, fact: proposalAnchorPayload(proposal, moved) });
  await publishProposal(context, input, { proposal, opened, transactionHash });
  return { proposal, transactionHash };
}

/** The proposal to be recorded, with everything it leaves to its vault filled in, and the assets that it moves. */
async function planProposal(
  context: AnchoringContext,
  { durationBounds }: Pick<ServiceContext, 'durationBounds'>,
  vault: Vault,
  { params, proposer }: ProposalInput,
): Promise<{ proposal: NewProposal; moved: Asset[] }> {
  const { tx, ids, now } = context;
  const thresholds = proposalThresholds(vault.terms.governance, params.thresholds);
  const id = ids.next();
  const { effect, moved } = await requireProposable(context, vault, id, params.effect);
  const power = await stakedPower(tx, vault.id, proposer.address, now);
  const supply = await governingSupplyOf(tx, vault);
  requireCreationThreshold({ power, supply, threshold: thresholds.creation });
  const durations = phaseDurations(vault, params.durations, durationBounds);
  await requireEndBeforeClaims(context, vault, durations);
  const requested = { requested: params.requiredCosigners, threshold: thresholds.cosigning };
  const proposal = {
    id,
    vaultId: vault.id,
    proposer: proposer.address,
    title: params.title,
    description: params.description,
    effect,
    thresholds,
    durations,
    requiredCosigners: await requiredProposalCosigners(context, vault, requested),
    draftExpiresAt: draftDeadline(now),
    createdAt: now,
  };
  return { proposal, moved };
}

/** The effect on assets that the vault holds and no other proposal reserves. */
async function requireProposable(
  { tx, now }: AnchoringContext,
  vault: Vault,
  id: string,
  requested: RequestedEffect,
): Promise<{ effect: ProposalEffect; moved: Asset[] }> {
  const assets = await vaultAssets(tx, vault.id, ['LOCKED']);
  const held = assets.map(({ assetName, ...asset }) => ({ ...asset, assetNameHex: assetName }));
  const effect = resolveEffect(requested, held, proposalEffectFields);
  if (effect.type === 'STAKE') requireListed(effect, { stakingAddresses: stakingAddressesOf(vault) });
  if (effect.type === 'BUY') requireBuyable(effect, vault);
  if (effect.type === 'LIQUIDATE') {
    const { operatorAddress } = await requirePlatform(tx);
    const invalid = { code: 'INVALID_REQUEST', field: proposalEffectFields.terms } as const;
    requireOthersThanOperator(requested.terms, operatorAddress, invalid);
  }
  const passed = await passedProposals(tx, { id, vaultId: vault.id }, now);
  requireFreeAssets(effect.assetIds, passed, proposalEffectFields.assets);
  return { effect, moved: assets.filter((asset) => effect.assetIds.includes(asset.id)) };
}

async function publishProposal(
  context: AnchoringContext,
  { proposer, caller, correlationId }: ProposalInput,
  { proposal, opened, transactionHash }: ProposalCreated & { readonly opened: boolean },
): Promise<void> {
  const { id, vaultId, title, effect } = proposal;
  await publishAction(context, {
    action: 'PROPOSAL_CREATED',
    vaultId,
    actor: proposer.address,
    transactionHash,
    eventData: { proposalId: id, type: effect.type, title, status: opened ? 'ACTIVE' : 'DRAFT' },
    resource: { type: 'proposal', id },
    metadata: { vaultId, transactionHash },
    caller,
    onBehalfOf: proposer.onBehalfOf,
    correlationId,
  });
}

/** Counts an anchored action of a wallet, which costs the wallet nothing. Throws FREE_ACTIONS_USED_UP when the wallet has done too many of its kind within a day. */
export async function countAnchoredAction(
  context: TransactionContext,
  limit: AnchoredActionQuota,
  { wallet, kind }: { readonly wallet: string; readonly kind: AnchoredActionKind },
): Promise<void> {
  const [refusal] = await countAnchoredActions(context, limit, { wallets: [wallet], kind });
  if (refusal) throw refusal;
}

/** Held by the transaction that counts actions of a wallet. */
export const anchoredActionLock = (kind: AnchoredActionKind, wallet: string) => `free:${kind}:${wallet}` as const;

/** As `countAnchoredAction` for several actions, of whom `wallets` says who does each: returns their refusals in this order, null for what counts. */
export async function countAnchoredActions(
  { tx, now }: TransactionContext,
  { anchoredActionsPerDay: limit }: AnchoredActionQuota,
  { wallets, kind }: { readonly wallets: readonly string[]; readonly kind: AnchoredActionKind },
): Promise<readonly (ServiceError | null)[]> {
  if (wallets.length === 0) return [];
  // One transaction after another, or each would count without the others. One that is frozen stops only its own wallets.
  const lockOf = (wallet: string) => anchoredActionLock(kind, wallet);
  const isBusy = () => new ServiceError('SERVICE_NOT_READY', { waitingFor: 'another action of the wallet' });
  const busy = await takeLocks(tx, { shared: [], exclusive: wallets.map(lockOf) });
  const latest = await latestAnchoredActions(tx, { wallets, kind, limit, since: anchoredActionsCountSince(now) });
  const counted = anchoredActionRefusals(wallets, { kind, limit, latest, now });
  const refusals = wallets.map((wallet, index) => (busy.has(lockOf(wallet)) ? isBusy() : (counted[index] ?? null)));
  await recordAnchoredActions(tx, { wallets: wallets.filter((_, index) => refusals[index] === null), kind, now });
  return refusals;
}
