import { z } from 'zod';
import { type Caller, mayActFor } from '../../domain/identity/caller.ts';
import { isoText } from '../../domain/units/instant.ts';
import type { BaseUnits } from '../../domain/units/money.ts';
import { allowedStakeActions, votingPower } from '../../domain/stake/stake.ts';
import { printTokenAmount } from '../../domain/units/token-amount.ts';
import type { ListedStake } from '../../store/vault-stakes.ts';
import { RefusalCode } from '../server/enums.ts';
import { BaseUnitsText, Timestamp, WholeTokens } from '../server/fields.ts';
import { stakeExample } from '../proposals/examples.ts';
import { StakeReleaseReasonEnum, StakeStatusEnum } from '../proposals/enums.ts';

/** The spec's Stake; amounts are whole tokens, exact in the fields that say base units (design D10). */
export const StakeResource = z
  .object({
    id: z.uuid(),
    vaultId: z.uuid(),
    wallet: z.string(),
    amount: WholeTokens,
    amountBaseUnits: BaseUnitsText,
    status: StakeStatusEnum,
    lockedUntil: Timestamp.describe(
      'While it is LOCKED: when the execution phases it is used for end; it is free earlier where its proposals end earlier',
    ).optional(),
    votingPower: z.number().describe('Whole tokens that count; 0 until the stake is final, and on its way back'),
    votingPowerBaseUnits: BaseUnitsText,
    usedPower: z.number().describe('Whole tokens; the most that any one unfinished vote uses'),
    usedPowerBaseUnits: BaseUnitsText,
    createdAt: Timestamp,
    updatedAt: Timestamp.describe('When its status, its power or what uses it last changed'),
    transactions: z.object({
      stakeHash: z.string().describe('Of the transaction that brings the tokens'),
      unstakeHash: z.string().describe('Of the one that takes them back, while there is one').optional(),
    }),
    finalAt: Timestamp.nullable().describe('Null until the transaction that brought it is final'),
    releaseReason: StakeReleaseReasonEnum.nullable().describe('Null unless it is RELEASED'),
    scriptAddress: z.string().describe('Where the tokens lie'),
    releaseSlot: z.int().describe('`ownerAloneFrom` as a slot of the ledger, as it stands in the script'),
    ownerAloneFrom: Timestamp.describe('From when on its owner takes the tokens back without the vault'),
    allowedActions: z
      .array(
        z.object({
          action: z.literal('unstake'),
          allowed: z.boolean().describe('Whether who asks can do it now'),
          reason: RefusalCode.describe('The code it would be refused with; absent when it is allowed').optional(),
        }),
      )
      .describe('unstake: `DELETE /api/v1/stakes/{stakeId}`'),
  })
  .meta({ id: 'Stake', examples: [stakeExample] });

export function presentStake({ stake, ftDecimals, stakeHash, unstakeHash }: ListedStake, caller: Caller) {
  const whole = (units: BaseUnits) => wholeTokens(units, ftDecimals);
  const power = votingPower(stake);
  return {
    id: stake.id,
    vaultId: stake.vaultId,
    wallet: stake.wallet,
    amount: whole(stake.amount),
    amountBaseUnits: stake.amount.toString(),
    status: stake.status,
    ...(stake.lockedUntil !== null && { lockedUntil: isoText(stake.lockedUntil) }),
    votingPower: whole(power),
    votingPowerBaseUnits: power.toString(),
    usedPower: whole(stake.usedPower),
    usedPowerBaseUnits: stake.usedPower.toString(),
    createdAt: isoText(stake.stakedAt),
    updatedAt: isoText(stake.updatedAt),
    transactions: { stakeHash, ...(unstakeHash !== null && { unstakeHash }) },
    finalAt: stake.finalAt === null ? null : isoText(stake.finalAt),
    releaseReason: stake.releaseReason,
    scriptAddress: stake.scriptAddress,
    releaseSlot: stake.releaseSlot,
    ownerAloneFrom: isoText(stake.ownerAloneFrom),
    allowedActions: allowedStakeActions(stake, { actsForOwner: mayActFor(caller, stake.wallet) }),
  };
}

/** Whole tokens as the JSON number the spec asks for; it may lose digits, the base units beside it do not. */
export function wholeTokens(units: BaseUnits, decimals: number): number {
  return Number(printTokenAmount(units, decimals));
}
