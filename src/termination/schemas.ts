import { z } from 'zod';
import {
  enumSchema,
  Timestamp,
  AmountText,
  DurationPrinted,
  BaseUnitsText,
  WholeTokens,
} from '../platform/http/fields.ts';
import { printDuration, isoText } from '../platform/units/time.ts';
import { percentageNumber } from '../platform/units/money.ts';
import { wholeTokens } from '../staking/schemas.ts';
import type { ListedClaim } from './queries/claims.ts';
import type { ViewedTermination } from './queries/terminations.ts';
import { claimStatuses } from './rules/claims.ts';
import {
  stepReasons,
  terminationSteps,
  type StepView,
  stepStatuses,
  viewReturnStep,
  viewSteps,
} from './rules/steps.ts';
import { cosigner } from '../transactions/routes/examples.ts';
import { TerminationReasonEnum } from '../vaults/routes/enums.ts';
import type { VaultView } from '../vaults/read-vaults.ts';

const TerminationStepEnum = enumSchema('TerminationStep', [...terminationSteps, 'return_deposits'], {
  end_proposals: 'open proposals end, and submitted executions become final or fail',
  gather_pot: 'the shared ADA of the vault moves to its claims address',
  hand_over:
    'assets go to the wallets that were named for them: `remainingAssets` before holders can claim, all others ' +
    'to `remainingAssetsTo` after the claims',
  claims: 'holders return tokens for their share of the pot',
  pay_remainder: 'unclaimed ADA goes to the wallet that was named for it',
  close_vault: 'only tokens without value, and amounts that can still be claimed, stay with the vault',
  return_deposits: 'assets and investments of a vault that was never settled return to their owners',
});

export const StepStatusEnum = enumSchema('TerminationStepStatus', stepStatuses, {
  pending: 'earlier steps are not done',
  running: 'in progress, or waiting',
  waiting_for_cosigners: 'its transaction waits for the signatures of registered cosigners',
  done: 'done',
  skipped: 'nothing to do. `reason` says why.',
});

const StepReasonEnum = enumSchema('TerminationStepReason', stepReasons, {
  settlement_rolled_back: 'a rollback has removed a part of the settlement, which has to be restored first',
  executions_not_final: 'a submitted execution has to become final or fail',
  rotation: 'a rotation has to move everything in the vault to its new custody',
  cosigners_to_sign: 'registered cosigners have to sign `transactionHash`. After 36 hours it is built again.',
  transaction_not_final: '`transactionHash` is not final yet',
  claim_deadline: 'holders can claim until `claimDeadline`',
  claims_not_final: 'the deadline has passed, and a claim that was submitted before it is not final yet',
  after_claims: 'the remaining assets go to `remainingAssetsTo` when the claims are over',
  unjustified_transaction: 'as in `holds`: the platform refused to sign a transaction of the vault',
  quarantined: 'as in `holds`: the effects of a transaction of the vault could not be recorded',
  repeated_failures:
    'as in `holds`: the step fails again and again, for example because the operator lacks ADA or the ledger rejects its transaction',
  assets_without_recipient:
    'no tokens circulate, and the vault has assets without a named recipient. They stay with it after `claimDeadline`.',
  liquidity_share_elsewhere:
    'the liquidity share is at an external address of the operator. It stays there, and its tokens circulate.',
  no_recipient: 'no wallet is named for the payment of this step',
  nothing_left: 'nothing was left for this step',
});

const StepFields = z.object({
  name: TerminationStepEnum,
  status: StepStatusEnum,
  transactionHash: z
    .string()
    .nullable()
    .describe(
      'Hash of its newest transaction. `null` if it has none. To list all of them, call `listTransactions` with ' +
        '`vaultId` and `kind`: the name of the step, or `refund` for `return_deposits`.',
    ),
  finalTransactions: z.int().describe('Number of its transactions that are final.'),
  reason: StepReasonEnum.nullable().describe(
    'Reason why it waits, was skipped, or could not do everything. Otherwise `null`.',
  ),
  at: Timestamp.nullable().describe(
    'Time at which its newest transaction changed, or a step without one was done. `null` before. For `claims`: their end.',
  ),
});

function presentStep({ at, ...step }: StepView): z.input<typeof StepFields> {
  return { ...step, at: at === null ? null : isoText(at) };
}

const address = (text: string) => z.string().nullable().describe(text);

export const TerminationFields = z.object({
  type: z
    .enum(['DAO', 'PROGRAMMED'])
    .describe('DAO: by an executed proposal to liquidate. PROGRAMMED: also `duration` after `lockedAt`.'),
  fdp: z
    .number()
    .describe(
      'Floor price deviation in percent. 0 for none. The vault ends when three fresh valuations in a row are ' +
        "lower than the settlement's by that percentage, for the assets that it holds.",
    ),
  duration: DurationPrinted.nullable().describe('`null` for DAO.'),
  reason: TerminationReasonEnum.nullable().describe('Reason why the vault ended or is ending, otherwise `null`.'),
  steps: z
    .array(StepFields)
    .describe(
      'Steps of the end: only `return_deposits` if the vault failed or was cancelled before its settlement, all ' +
        'others if it was settled. Empty until the end is certain.',
    ),
  pot: z
    .object({
      lovelace: AmountText.describe('Lovelace that holders share.'),
      circulatingFtBaseUnits: AmountText.describe('Tokens that share it, in base units.'),
    })
    .nullable()
    .describe('`null` until holders can claim.'),
  claimDeadline: Timestamp.nullable().describe(
    'Earliest end of the claims. `null` until holders can claim. It moves when the price of a sale reaches the ' +
      'pot (two weeks remain then, at most 90 days more in total). It also moves when a signed claim does not ' +
      'reach a block in the last day (at most 7 days more in total).',
  ),
  remainingAssets: z
    .array(z.object({ assetId: z.uuid(), address: z.string().describe('Wallet that gets it.') }))
    .describe(
      'Assets for which the decision to end the vault names separate wallets. They are handed over before holders can claim.',
    ),
  remainingAssetsTo: address(
    'Wallet that gets all other assets that remain after the claims. `null` if there is none. Unsold assets then ' +
      'stay in custody permanently.',
  ),
  unclaimedAdaTo: address('Wallet that gets the unclaimed ADA. `null` if there is none.'),
  endedBecause: z
    .enum(['nothing_left', 'claim_deadline'])
    .nullable()
    .describe('Reason for the time of the end: nothing of value was left, or the claims were over. `null` before.'),
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

/** Of a vault that continues, or ends without having been settled. */
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

const ClaimStatusEnum = enumSchema('ClaimStatus', claimStatuses, {
  PENDING: 'its transaction is not in a block, or no longer after a rollback',
  PAID: 'its transaction is in a block. The tokens are in the pot, and the holder is paid.',
  EXPIRED:
    'it was not signed or not in a block in time, or a newer claim replaced it. The holder still has the tokens.',
  FAILED: 'the ledger rejected it. The holder still has the tokens.',
});

const claimExample = {
  id: '01a2b0c4-5d1e-7f20-8a3b-4c5d6e7f8091',
  vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
  wallet: cosigner,
  amount: 203571.428571,
  amountBaseUnits: '203571428571',
  payoutLovelace: '61071428',
  status: 'PAID' as const,
  transactionHash: '5c1d0e8f7b6a493827160594837261504f3e2d1c0b9a8f7e6d5c4b3a29180716',
  claimDeadline: '2027-03-14T07:58:40.000Z',
  createdAt: '2026-12-14T08:02:11.301Z',
  updatedAt: '2026-12-14T08:02:34.000Z',
};

/** Amounts are in whole tokens; the field in base units is exact (design D10). */
export const ClaimResource = z
  .object({
    id: z.uuid(),
    vaultId: z.uuid(),
    wallet: z.string(),
    amount: WholeTokens,
    amountBaseUnits: BaseUnitsText,
    payoutLovelace: AmountText.describe(
      'Lovelace paid for the tokens: their part of the circulating tokens, times the pot, rounded down. Fixed by the transaction.',
    ),
    status: ClaimStatusEnum,
    transactionHash: z.string().describe('Transaction that returns the tokens and pays the holder.'),
    claimDeadline: Timestamp.describe('Earliest end of the claims of the vault.'),
    createdAt: Timestamp,
    updatedAt: Timestamp.describe('Time at which its status last changed.'),
  })
  .meta({ id: 'Claim', examples: [claimExample] });

export function presentClaim({
  claim,
  ftDecimals,
  transactionHash,
  claimDeadline,
}: ListedClaim): z.input<typeof ClaimResource> {
  return {
    id: claim.id,
    vaultId: claim.vaultId,
    wallet: claim.wallet,
    amount: wholeTokens(claim.amount, ftDecimals),
    amountBaseUnits: claim.amount.toString(),
    payoutLovelace: claim.payout.toString(),
    status: claim.status,
    transactionHash,
    claimDeadline: isoText(claimDeadline),
    createdAt: isoText(claim.createdAt),
    updatedAt: isoText(claim.updatedAt),
  };
}
