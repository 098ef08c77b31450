import { z } from 'zod';
import { ExecutionResource } from '../../executions/schemas.ts';
import {
  thresholdTexts,
  defaultDurationText,
  enumSchema,
  RefusalCode,
  DurationPrinted,
  Timestamp,
  AmountText,
  WholeTokens,
} from '../../platform/http/fields.ts';
import { printDuration, isoText } from '../../platform/units/time.ts';
import {
  type BaseUnits,
  type BasisPoints,
  basisPoints,
  FULL_SHARE,
  percentageNumber,
} from '../../platform/units/money.ts';
import { governanceSettings } from '../queries/anchored-actions.ts';
import type { ProposalView } from '../read-proposals.ts';
import { proposalExample } from './examples.ts';
import { proposalActions } from '../rules/allowed-actions.ts';
import { phaseNames, phaseStatuses, type PhaseName } from '../rules/phases.ts';
import { failureReasons, proposalStatuses, proposalTypes, type FailureReason } from '../rules/proposal.ts';
import { wholeTokens } from '../../staking/schemas.ts';
import { ProofLink } from '../../transactions/routes/response.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';
import type { VotingPosition } from '../../votes/read-votes.ts';
import { presentVote, VoteResource } from '../../votes/schemas.ts';
import { MIN_TURNOUT } from '../../votes/rules.ts';

export const ProposalTypeEnum = enumSchema('ProposalType', proposalTypes, {
  ASSET_SALE: 'action sell_asset: sells assets of the vault to a buyer for ADA',
  BUY: 'action buy_asset: buys an asset from a seller with ADA of the vault',
  STAKE: "action stake_asset: moves assets to one of the vault's staking addresses, or back from it",
  LIQUIDATE: 'action liquidate: ends the vault',
});

export const ProposalStatusEnum = enumSchema('ProposalStatus', proposalStatuses, {
  DRAFT: 'the proposal collects endorsements',
  ACTIVE: 'the vote is open',
  PASSED: 'approved, and in its lock or execution phase',
  FAILED: 'the proposal ended without effect. `failureReason` says why.',
  EXECUTED: 'its transaction is in a block',
});

const FailureReasonEnum = enumSchema('ProposalFailure', failureReasons, {
  quorum_not_reached:
    'too little voting power has voted: less than `thresholds.vote.required` of the voting power, less than ' +
    '`thresholds.turnout.required` of the tokens in circulation, or none',
  rejected:
    'less than `thresholds.execution.required` of the cast voting power has approved, or fewer have approved than rejected',
  tied: 'equal voting power has approved and rejected',
  draft_expired: 'the endorsements had not reached `thresholds.start.required` by `draftExpiresAt`',
  cancelled: "cancelled by the proposer, the vault's admin or a key with permission wallet:UPDATE",
  execution_window_elapsed: 'its transaction was in no block at the end of the execution phase',
  execution_failed: 'its executions failed four times. `result.cause` is the last message.',
  asset_in_another_proposal: 'another proposal about one of its assets had already passed when its vote ended',
  vault_ending: 'the end of the vault was decided',
});

const ProposalPhaseEnum = enumSchema('ProposalPhase', ['draft', ...phaseNames, 'ended'], {
  draft: 'wallets can endorse it. It can be cancelled.',
  voting: 'wallets can vote, and revoke their votes',
  lock: 'it can be cancelled. Nothing else is possible.',
  execution: 'its transaction can be frozen, signed and executed',
  ended: 'the proposal has ended',
});

const PhaseStatusEnum = enumSchema('PhaseStatus', phaseStatuses, {
  PENDING: 'not begun yet',
  ACTIVE: 'open',
  COMPLETED: 'ended, and the proposal continued',
  FAILED: 'the proposal failed in this phase or before it',
});

const ProposalActionEnum = enumSchema('ProposalAction', proposalActions, {
  endorse: '`POST /api/v1/proposals/{proposalId}/endorsements`',
  vote: '`POST /api/v1/proposals/{proposalId}/votes`, also to replace a vote',
  revokeVote: '`DELETE /api/v1/votes/{voteId}`',
  cancel: '`DELETE /api/v1/proposals/{proposalId}`',
  freeze: '`POST /api/v1/proposals/{proposalId}/executions`, for a new transaction',
  execute: '`POST /api/v1/proposals/{proposalId}/execute`',
});

/** A phase of a proposal. */
const PhaseResource = z.object({
  duration: DurationPrinted,
  startTime: Timestamp.nullable().describe('`null` until voting opens. Then the times of all three phases are fixed.'),
  endTime: Timestamp.nullable().describe('Exclusive end of the phase. `null` until voting opens.'),
  status: PhaseStatusEnum,
});

export function presentPhase({ proposal: { durations, phases }, view }: ProposalView, name: PhaseName) {
  const span = phases?.[name];
  return {
    duration: printDuration(durations[name]),
    startTime: span ? isoText(span.startsAt) : null,
    endTime: span ? isoText(span.endsAt) : null,
    status: view.phaseStatuses[name],
  };
}

/** The sums of the votes that count. */
const TallyResource = z.object({
  approve: WholeTokens,
  reject: WholeTokens,
  totalVoted: WholeTokens,
  uniqueVoters: z.int().describe('Number of wallets whose vote counts.'),
  approveBaseUnits: AmountText.describe('Base units that approve.'),
  rejectBaseUnits: AmountText.describe('Base units that reject.'),
  totalVotedBaseUnits: AmountText.describe('Base units that approve or reject.'),
});

export function presentTally({ votes: { tally }, vault: { terms } }: ProposalView) {
  const { approve, reject, totalVoted, uniqueVoters } = tally;
  return {
    approve: wholeTokens(approve, terms.ftDecimals),
    reject: wholeTokens(reject, terms.ftDecimals),
    totalVoted: wholeTokens(totalVoted, terms.ftDecimals),
    uniqueVoters,
    approveBaseUnits: approve.toString(),
    rejectBaseUnits: reject.toString(),
    totalVotedBaseUnits: totalVoted.toString(),
  };
}

const Threshold = z.object({
  required: z.number().describe('Minimum in percent.'),
  actual: z.number().describe('Percent reached, cut off after two decimals. The comparison uses the exact amounts.'),
});

/** The thresholds of a proposal, as required and as reached. */
const ThresholdsResource = z
  .object({ creation: Threshold, start: Threshold, vote: Threshold, turnout: Threshold, execution: Threshold })
  .describe(
    'Percentages, required and reached.\n\n' +
      '- `creation`: stakes of the proposer, of the token supply (while holders claim: of the tokens in ' +
      'circulation).\n- `start`: stakes that endorse the proposal or opened its vote, of the same.\n- `vote`: voting ' +
      'power that has voted, of `eligiblePowerBaseUnits`.\n- `turnout`: voting power that has voted, of ' +
      '`circulatingBaseUnits`. The same for all vaults.\n- `execution`: voting power that approves, of the voting ' +
      'power that has voted.',
  );

export function presentThresholds({
  proposal: { thresholds },
  supply,
  votes: { tally, quorumBase, circulating },
  endorsed,
  proposerPower,
}: ProposalView) {
  return {
    creation: presentThreshold(thresholds.creation, proposerPower, supply),
    start: presentThreshold(thresholds.start, endorsed, supply),
    vote: presentThreshold(thresholds.vote, tally.totalVoted, quorumBase),
    turnout: presentThreshold(MIN_TURNOUT, tally.totalVoted, circulating),
    execution: presentThreshold(thresholds.execution, tally.approve, tally.totalVoted),
  };
}

function presentThreshold(required: BasisPoints, part: BaseUnits, whole: BaseUnits) {
  return { required: percentageNumber(required), actual: percentageOf(part, whole) };
}

/** Cut off after two decimals. */
function percentageOf(part: BaseUnits, whole: BaseUnits): number {
  return whole === 0n ? 0 : percentageNumber(basisPoints((part * FULL_SHARE) / whole));
}

/** The voting power of the session's wallet in a proposal, and its vote. */
export const VotingPositionResource = z.object({
  wallet: z.string().describe('Wallet of the session.'),
  power: z.number().describe('Whole tokens with which the wallet can vote. 0 until voting opens.'),
  powerBaseUnits: AmountText.describe('The same in base units, exactly.'),
  vote: VoteResource.nullable().describe('Current vote of the wallet, otherwise `null`.'),
});

export function presentVotingPosition({ wallet, power, vote }: VotingPosition, decimals: number) {
  return {
    wallet,
    power: wholeTokens(power, decimals),
    powerBaseUnits: power.toString(),
    vote: vote && presentVote(vote),
  };
}

/** The result of a proposal that has ended. */
const ResultResource = z.object({
  outcome: z.enum(['FAILED', 'EXECUTED']).describe('Same as `status`.'),
  reason: FailureReasonEnum.nullable().describe('Same as `failureReason`.'),
  tally: TallyResource,
  transactionHash: z.string().nullable().describe('Hash of the last submitted execution, otherwise `null`.'),
  executedBy: z.string().nullable().describe('Wallet that had it submitted, otherwise `null`.'),
  cosigners: z.array(z.string()).describe('Named cosigners who have signed it. Empty if none was submitted.'),
  executedAt: Timestamp.nullable().describe('Time of its block. `null` while it is in no block.'),
  cause: z
    .string()
    .nullable()
    .describe('Message of the ledger, for people, if the execution failed. Otherwise `null`.'),
});

export function presentResult(view: ProposalView, outcome: 'FAILED' | 'EXECUTED', reason: FailureReason | null) {
  return { outcome, reason, tally: presentTally(view), ...presentSubmittedExecution(view) };
}

/** The last execution. An execution that was never submitted is not part of the result. */
function presentSubmittedExecution({ execution: last }: ProposalView) {
  if (!last || last.execution.executedBy === null) {
    return { transactionHash: null, executedBy: null, cosigners: [], executedAt: null, cause: null };
  }
  const { execution, transaction } = last;
  const signed = new Set(transaction.witnesses.map(({ keyHash }) => keyHash));
  return {
    transactionHash: transaction.hash,
    executedBy: execution.executedBy,
    cosigners: execution.cosigners.filter(({ keyHash }) => signed.has(keyHash)).map(({ wallet }) => wallet),
    executedAt: execution.executedAt === null ? null : isoText(execution.executedAt),
    cause: execution.reason,
  };
}

/** The assets and the effect that a proposal is about. */
const SettingsResource = z.object({
  assets: z
    .array(z.string())
    .describe('IDs of the assets of the vault that the proposal is about. Empty for a purchase and a liquidation.'),
  effects: z.array(
    z.object({
      type: ProposalTypeEnum,
      assetIds: z.array(z.string()).describe('Same as `assets`.'),
      terms: z
        .record(z.string(), z.string().nullable())
        .describe(
          'Terms that the vote fixes. `null` for an open term.\n\n' +
            '- ASSET_SALE: price (total lovelace), buyerAddress.\n- BUY: policyId, assetNameHex, quantity (base ' +
            'units), price (total lovelace), sellerAddress.\n- STAKE: direction, stakingAddress.\n- LIQUIDATE: ' +
            'remainingAssetsTo, unclaimedLovelaceTo, remainingAssets (asset ID and address, pairs separated by ' +
            'commas).',
        ),
    }),
  ),
});

const ClosingResource = z.object({
  votesRoot: z
    .string()
    .nullable()
    .describe('Root of the Merkle tree over the leaves of all votes that count, sorted as hex. `null` without votes.'),
  transactionHash: z.string().describe('Hash of the transaction that anchors the result of the vote.'),
  proof: ProofLink,
});

const AllowedAction = z.object({
  action: ProposalActionEnum,
  allowed: z.boolean().describe('Whether the caller can do it now.'),
  reason: RefusalCode.nullable().describe('Error code that the caller would get. `null` if it is allowed.'),
});

/** The spec's Proposal. Voting power is in whole tokens; the fields in base units are exact (design D10). */
export const ProposalResource = z
  .object({
    id: z.uuid(),
    vaultId: z.uuid(),
    type: ProposalTypeEnum,
    title: z.string(),
    description: z.string(),
    status: ProposalStatusEnum,
    failureReason: FailureReasonEnum.nullable().describe('`null` unless the proposal has FAILED.'),
    phase: ProposalPhaseEnum,
    phaseEndsAt: Timestamp.nullable().describe('End of the current phase. `null` when the proposal has ended.'),
    overdueSeconds: z.int().describe('Delay of the next step of the proposal, in seconds. 0 if nothing is late.'),
    draftExpiresAt: Timestamp.describe('Time at which a draft fails. No effect after voting has opened.'),
    votingPhase: PhaseResource.extend({ quorum: z.number().describe(thresholdTexts.vote) }),
    lockPhase: PhaseResource,
    executionPhase: PhaseResource.extend({
      requiredCosigners: z
        .int()
        .describe(
          'Number of eligible cosigners that an execution must name at least. The same number must sign, or more ' +
            'if its request says so. It may increase when the vote ends, because eligible wallets that voted are ' +
            'counted again, up to the number of the vault.',
        ),
    }),
    settings: SettingsResource,
    votes: TallyResource.describe('Votes that count. After voting: the counted votes.'),
    eligiblePowerBaseUnits: AmountText.describe(
      'All base units that can vote: stakes that were final when voting opened and are still held. 0 until voting opens.',
    ),
    circulatingBaseUnits: AmountText.describe(
      'Base units in circulation: the supply without the tokens at the liquidity address and in custody. 0 for ' +
        'votes that were counted before the minimum turnout existed.',
    ),
    thresholds: ThresholdsResource,
    cosigningThreshold: z.number().describe(thresholdTexts.cosigning),
    allowedActions: z
      .array(AllowedAction)
      .describe(
        "Actions of the proposal. Shows whether the session's wallet can do them now, or the error code it would " +
          'get. For a key with `wallet:UPDATE` and no session: what its permissions and the phase allow. Other ' +
          'keys can do nothing.',
      ),
    result: ResultResource.describe('Only when the proposal has ended.').optional(),
    execution: ExecutionResource.nullable().describe(
      'Last frozen transaction and its signatures. `null` if none was frozen.',
    ),
    closing: ClosingResource.nullable().describe(
      'Anchored result of the vote: outcome, tally and root. `null` until voting is closed and the anchor is built.',
    ),
    proof: ProofLink.describe('Path of the inclusion proof of the proposal as it was created.'),
    createdBy: z.string().describe('Wallet of the proposer.'),
    createdAt: Timestamp,
    updatedAt: Timestamp.describe('Time at which its status last changed, or its execution was submitted.'),
  })
  .meta({ id: 'Proposal', examples: [proposalExample] });

const phaseDuration = (usual: string) =>
  DurationPrinted.nullable().describe(
    `\`null\` if the creator set none. Then ${usual}, within the limits of the deployment.`,
  );

/** Thresholds in percent, and the settings that the creator chose. */
export const GovernanceFields = z.object({
  creationThreshold: z.number().describe(thresholdTexts.creation),
  startThreshold: z.number().describe(thresholdTexts.start),
  voteThreshold: z.number().describe(thresholdTexts.vote),
  executionThreshold: z.number().describe(thresholdTexts.execution),
  cosigningThreshold: z.number().describe(thresholdTexts.cosigning),
  votingDuration: phaseDuration(defaultDurationText.voting),
  lockDuration: phaseDuration(defaultDurationText.lock),
  executionDuration: phaseDuration(defaultDurationText.execution),
  requiredCosigners: z
    .int()
    .nullable()
    .describe(
      'Number of cosigners that an execution needs, unless its proposal requires more. `null` if the creator set none. Then 1.',
    ),
  cosignerKeyHashes: z
    .array(z.string())
    .describe(
      'Payment key hashes of the only wallets that can cosign. If empty, any wallet that has staked `cosigningThreshold` can cosign.',
    ),
  stakingAddresses: z
    .array(z.string())
    .describe('The only addresses where the vault can stake its assets. If empty, it cannot stake them.'),
});

export function presentGovernance(vault: Vault): z.input<typeof GovernanceFields> {
  const { governance: thresholds } = vault.terms;
  const settings = governanceSettings(vault);
  const { votingSeconds, lockSeconds, executionSeconds } = settings;
  const required = vault.cosigners?.required ?? settings.requiredCosigners;
  return {
    creationThreshold: percentageNumber(thresholds.creation),
    startThreshold: percentageNumber(thresholds.start),
    voteThreshold: percentageNumber(thresholds.vote),
    executionThreshold: percentageNumber(thresholds.execution),
    cosigningThreshold: percentageNumber(thresholds.cosigning),
    votingDuration: durationOrNull(votingSeconds),
    lockDuration: durationOrNull(lockSeconds),
    executionDuration: durationOrNull(executionSeconds),
    requiredCosigners: required ?? null,
    cosignerKeyHashes: [...(vault.cosigners?.keyHashes ?? [])],
    stakingAddresses: [...(settings.stakingAddresses ?? [])],
  };
}

function durationOrNull(seconds: number | undefined): string | null {
  return seconds === undefined ? null : printDuration(seconds);
}
