import { z } from 'zod';
import { terminationSteps } from '../../domain/termination/termination-step.ts';
import { type StepView, stepStatuses, viewSteps } from '../../domain/termination/steps.ts';
import { printDuration } from '../../domain/units/duration.ts';
import { isoText } from '../../domain/units/instant.ts';
import { percentageNumber } from '../../domain/units/percentage.ts';
import type { EndTerms } from '../../domain/vault/vault.ts';
import { enumSchema } from '../../server/enums.ts';
import type { VaultView } from '../../services/vaults/vault-view.ts';
import { AmountText, DurationPrinted, Timestamp } from '../../server/fields.ts';
import type { ViewedTermination } from '../../store/viewed-terminations.ts';
import { TerminationReasonEnum } from './enums.ts';

const TerminationStepEnum = enumSchema('TerminationStep', terminationSteps, {
  end_proposals: 'live proposals end, and executions that were sent become final or can no longer land',
  gather_pot: 'what the vault shares moves to its claims address',
  hand_over: 'assets go to the wallets that were named for them',
  claims: 'holders return tokens for their share of the pot',
  pay_remainder: 'what nobody claimed goes to the wallet that was named for it',
  close_vault: 'only tokens without value stay with the vault',
});

export const StepStatusEnum = enumSchema('TerminationStepStatus', stepStatuses, {
  pending: 'steps before it are not done',
  running: 'it is being taken, or it waits',
  waiting_for_cosigners: 'its transaction waits for the signatures of registered cosigners',
  done: 'done',
  skipped: 'nothing to do; `reason` says why',
});

const StepFields = z.object({
  name: TerminationStepEnum,
  status: StepStatusEnum,
  transactionHash: z.string().nullable().describe('Of its newest transaction; `null` if it has none'),
  reason: z.string().nullable().describe('Why it was skipped, or what it waits for; `null` if there is nothing to say'),
  at: Timestamp.nullable().describe('When its newest transaction changed, or the step was done; `null` before'),
});

const address = (text: string) => z.string().nullable().describe(text);

export const TerminationFields = z.object({
  type: z
    .enum(['DAO', 'PROGRAMMED'])
    .describe('DAO: by an executed proposal to liquidate; PROGRAMMED: `duration` after `lockedAt`, too'),
  fdp: z
    .number()
    .describe(
      'Floor price deviation in percent, 0 for none. The vault ends when three fresh valuations in a row are lower by that, ' +
        'for the assets that it holds, than what the settlement counted',
    ),
  duration: DurationPrinted.nullable().describe('`null` for DAO'),
  reason: TerminationReasonEnum.nullable().describe(
    'Why the vault ended or is ending; `null` while neither is the case',
  ),
  steps: z.array(StepFields).describe('The steps in which a settled vault ends; empty until its end is certain'),
  pot: z
    .object({
      lovelace: AmountText.describe('Lovelace that holders share'),
      circulatingFtBaseUnits: AmountText.describe('Tokens that share it, in base units'),
    })
    .nullable()
    .describe('`null` until holders can claim'),
  claimDeadline: Timestamp.nullable().describe('Until when holders can claim at least; `null` until they can'),
  remainingAssetsTo: address('Wallet that gets the assets that are left; `null` if nobody does'),
  unclaimedAdaTo: address('Wallet that gets the ADA that nobody claims; `null` if nobody does'),
  endedBecause: z
    .enum(['nothing_left', 'claim_deadline'])
    .nullable()
    .describe('Why the vault ended when it did: nothing of value was left, or the claims were over; `null` before'),
});

type Termination = z.input<typeof TerminationFields>;

export function presentTermination({ vault, termination }: Pick<VaultView, 'vault' | 'termination'>): Termination {
  const { terms, terminationReason, failedBecause } = vault;
  return {
    type: terms.termination.type,
    fdp: percentageNumber(terms.termination.fdp),
    duration: terms.termination.type === 'PROGRAMMED' ? printDuration(terms.termination.duration) : null,
    reason: terminationReason ?? failedBecause,
    ...(termination ? presentEnding(termination, vault) : presentTerms(terms.termination)),
  };
}

type Ending = Pick<
  Termination,
  'steps' | 'pot' | 'claimDeadline' | 'remainingAssetsTo' | 'unclaimedAdaTo' | 'endedBecause'
>;

function presentTerms({ remainingAssetsTo, unclaimedLovelaceTo }: EndTerms): Ending {
  const named = { remainingAssetsTo: remainingAssetsTo ?? null, unclaimedAdaTo: unclaimedLovelaceTo ?? null };
  return { steps: [], pot: null, claimDeadline: null, ...named, endedBecause: null };
}

function presentEnding(
  termination: ViewedTermination,
  { terminatedAt }: Pick<VaultView['vault'], 'terminatedAt'>,
): Ending {
  const { pot, claimDeadline } = termination;
  return {
    steps: viewSteps({ ...termination, terminatedAt }).map(presentStep),
    pot: pot && { lovelace: pot.lovelace.toString(), circulatingFtBaseUnits: pot.circulating.toString() },
    claimDeadline: claimDeadline === null ? null : isoText(claimDeadline),
    remainingAssetsTo: termination.remainingAssetsTo,
    unclaimedAdaTo: termination.unclaimedLovelaceTo,
    endedBecause: termination.endedBecause,
  };
}

function presentStep({ at, ...step }: StepView): Termination['steps'][number] {
  return { ...step, at: at === null ? null : isoText(at) };
}
