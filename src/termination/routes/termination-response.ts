import { z } from 'zod';
import { viewReturnStep } from '../rules/return-step.ts';
import { viewSteps } from '../rules/steps.ts';
import { printDuration } from '../../platform/units/duration.ts';
import { isoText } from '../../platform/units/instant.ts';
import { percentageNumber } from '../../platform/units/percentage.ts';
import type { VaultView } from '../../vaults/vault-view.ts';
import { AmountText, DurationPrinted, Timestamp } from '../../platform/http/fields.ts';
import type { ViewedTermination } from '../queries/viewed-terminations.ts';
import { TerminationReasonEnum } from '../../vaults/routes/enums.ts';
import { presentStep, StepFields } from './termination-steps.ts';

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
  steps: z
    .array(StepFields)
    .describe(
      'The steps in which the vault ends: `return_deposits` alone if it failed or was cancelled before its settlement, all others if ' +
        'it was settled. Empty until its end is certain',
    ),
  pot: z
    .object({
      lovelace: AmountText.describe('Lovelace that holders share'),
      circulatingFtBaseUnits: AmountText.describe('Tokens that share it, in base units'),
    })
    .nullable()
    .describe('`null` until holders can claim'),
  claimDeadline: Timestamp.nullable().describe(
    'Until when holders can claim at least; `null` until they can. It moves when the price of a sale comes into the pot (two weeks remain ' +
      'then, 90 days more for all sales together) and when a signed claim does not land in the last day (7 days more in all)',
  ),
  remainingAssets: z
    .array(z.object({ assetId: z.uuid(), address: z.string().describe('Wallet that gets it') }))
    .describe(
      'Assets for which the decision to end the vault names a wallet each; they are handed over before holders can claim',
    ),
  remainingAssetsTo: address(
    'Wallet that gets all other assets that are left after the claims; `null` if nobody does: what is unsold then stays in custody for good',
  ),
  unclaimedAdaTo: address('Wallet that gets the ADA that nobody claims; `null` if nobody does'),
  endedBecause: z
    .enum(['nothing_left', 'claim_deadline'])
    .nullable()
    .describe('Why the vault ended when it did: nothing of value was left, or the claims were over; `null` before'),
});

type Termination = z.input<typeof TerminationFields>;
type Viewed = Pick<VaultView, 'vault' | 'holds' | 'termination' | 'returns' | 'now'>;

export function presentTermination(view: Viewed): Termination {
  const { terms, terminationReason, failedBecause } = view.vault;
  return {
    type: terms.termination.type,
    fdp: percentageNumber(terms.termination.fdp),
    duration: terms.termination.type === 'PROGRAMMED' ? printDuration(terms.termination.duration) : null,
    reason: terminationReason ?? failedBecause,
    ...(view.termination ? presentEnding(view, view.termination) : presentTerms(view)),
  };
}

type Ending = Omit<Termination, 'type' | 'fdp' | 'duration' | 'reason'>;

/** Of a vault that goes on, or ends without having been settled. */
function presentTerms({ vault, returns, holds }: Viewed): Ending {
  const { remainingAssetsTo, unclaimedLovelaceTo } = vault.terms.termination;
  const { terminatedAt } = vault;
  return {
    steps: returns ? [presentStep(viewReturnStep({ ...returns, holds: reasonsOf(holds), terminatedAt }))] : [],
    pot: null,
    claimDeadline: null,
    remainingAssets: [],
    remainingAssetsTo: remainingAssetsTo ?? null,
    unclaimedAdaTo: unclaimedLovelaceTo ?? null,
    endedBecause: null,
  };
}

function presentEnding({ vault, holds, now }: Viewed, termination: ViewedTermination): Ending {
  const { pot, claimDeadline, handedAssets, remainingAssetsTo, unclaimedLovelaceTo, endedBecause } = termination;
  const { terminatedAt, isRotating, lockedAt } = vault;
  const steps = viewSteps({
    ...termination,
    now,
    isSettled: lockedAt !== null,
    isRotating,
    holds: reasonsOf(holds),
    terminatedAt,
  });
  return {
    steps: steps.map(presentStep),
    pot: pot && { lovelace: pot.lovelace.toString(), circulatingFtBaseUnits: pot.circulating.toString() },
    claimDeadline: claimDeadline === null ? null : isoText(claimDeadline),
    remainingAssets: handedAssets.map(({ assetId, address }) => ({ assetId, address })),
    remainingAssetsTo,
    unclaimedAdaTo: unclaimedLovelaceTo,
    endedBecause,
  };
}

function reasonsOf(holds: Viewed['holds']) {
  return holds.map(({ reason }) => reason);
}
