import { z } from 'zod';
import { stepReasons } from '../rules/step-reason.ts';
import { terminationSteps } from '../rules/termination-step.ts';
import { type StepView, stepStatuses } from '../rules/steps.ts';
import { isoText } from '../../platform/units/instant.ts';
import { enumSchema } from '../../platform/http/enums.ts';
import { Timestamp } from '../../platform/http/fields.ts';

const TerminationStepEnum = enumSchema('TerminationStep', [...terminationSteps, 'return_deposits'], {
  end_proposals: 'live proposals end, and executions that were sent become final or can no longer land',
  gather_pot: 'what the vault shares moves to its claims address',
  hand_over:
    'assets go to the wallets that were named for them: those of `remainingAssets` before holders can claim, all others to ' +
    '`remainingAssetsTo` after the claims',
  claims: 'holders return tokens for their share of the pot',
  pay_remainder: 'what nobody claimed goes to the wallet that was named for it',
  close_vault: 'only tokens without value stay with the vault, and what can still be claimed',
  return_deposits: 'assets and investments of a vault that was never settled return to their owners',
});

export const StepStatusEnum = enumSchema('TerminationStepStatus', stepStatuses, {
  pending: 'steps before it are not done',
  running: 'it is being taken, or it waits',
  waiting_for_cosigners: 'its transaction waits for the signatures of registered cosigners',
  done: 'done',
  skipped: 'nothing to do; `reason` says why',
});

const StepReasonEnum = enumSchema('TerminationStepReason', stepReasons, {
  settlement_rolled_back: 'a rollback has removed a part of the settlement, which comes first',
  executions_not_final: 'an execution that was sent has to become final, or can no longer land',
  rotation: 'a rotation has to move what the vault has to its new custody',
  cosigners_to_sign: 'registered cosigners have to sign `transactionHash`; after 36 hours it is built anew',
  transaction_not_final: '`transactionHash` is not final yet',
  claim_deadline: 'holders can claim until `claimDeadline`',
  claims_not_final: 'the deadline has passed, and a claim that was sent before it is not final yet',
  after_claims: 'the assets that are left go to `remainingAssetsTo` when the claims are over',
  unjustified_transaction:
    'as in `holds`: the platform refused to sign a transaction of the vault, which nothing allows',
  quarantined: 'as in `holds`: what a transaction of the vault changes could not be recorded',
  repeated_failures:
    'as in `holds`: the step fails again and again, such as when the operator lacks ADA or the ledger refuses its transaction',
  assets_without_recipient:
    'no tokens circulate, and the vault has assets for which nobody is named; they stay with it after `claimDeadline`',
  liquidity_share_elsewhere:
    'the liquidity share is at an address of the operator’s choice, for which the platform has no key: it stays there, and its ' +
    'tokens circulate',
  no_recipient: 'no wallet is named for what this step would pay',
  nothing_left: 'nothing was left for this step',
});

export const StepFields = z.object({
  name: TerminationStepEnum,
  status: StepStatusEnum,
  transactionHash: z
    .string()
    .nullable()
    .describe(
      'Of its newest transaction; `null` if it has none. `GET /api/v1/transactions` lists all of them, by `vaultId` and `kind`: the name of ' +
        'the step, or `refund` for `return_deposits`',
    ),
  finalTransactions: z.int().describe('How many of its transactions are final'),
  reason: StepReasonEnum.nullable().describe(
    'What it waits for, why it was skipped, or what it could not do; `null` if there is nothing to say',
  ),
  at: Timestamp.nullable().describe(
    'When its newest transaction changed, or a step without one was done; `null` before. Of `claims`: when they ended',
  ),
});

export function presentStep({ at, ...step }: StepView): z.input<typeof StepFields> {
  return { ...step, at: at === null ? null : isoText(at) };
}
