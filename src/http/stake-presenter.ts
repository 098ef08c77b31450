import { z } from 'zod';
import { type Caller, mayActFor } from '../auth/caller.ts';
import { isoText } from '../domain/instant.ts';
import type { BaseUnits } from '../domain/money.ts';
import { allowedStakeActions, stakeStatuses, votingPower } from '../domain/stake.ts';
import { printTokenAmount } from '../domain/token-amount.ts';
import type { ListedStake } from '../store/stake-listing.ts';
import { releaseReasons } from '../store/stakes.ts';
import { AmountText, Timestamp } from './fields.ts';

/** The spec's Stake; amounts are whole tokens, exact in the fields that say base units (design D10). */
export const StakeResource = z
  .object({
    id: z.uuid(),
    vaultId: z.uuid(),
    wallet: z.string(),
    amount: z.number(),
    amountBaseUnits: AmountText,
    status: z.enum(stakeStatuses),
    lockedUntil: Timestamp.meta({ description: 'While it is LOCKED' }).optional(),
    votingPower: z.number().meta({ description: 'Whole tokens that count; 0 until the stake is final' }),
    votingPowerBaseUnits: AmountText,
    usedPower: z.number().meta({ description: 'Whole tokens; the most that any one unfinished vote uses' }),
    usedPowerBaseUnits: AmountText,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    transactions: z.object({ stakeHash: z.string(), unstakeHash: z.string().optional() }),
    finalAt: Timestamp.nullable().meta({ description: 'Null until the transaction that brought it is final' }),
    releaseReason: z.enum(releaseReasons).nullable(),
    /** Where the tokens lie, and from when on their owner takes them from there without us. */
    scriptAddress: z.string(),
    releaseSlot: z.int(),
    ownerAloneFrom: Timestamp.meta({ description: 'From when on its owner takes the tokens back without the vault' }),
    allowedActions: z.array(
      z.object({ action: z.literal('unstake'), allowed: z.boolean(), reason: z.string().optional() }),
    ),
  })
  .meta({ id: 'Stake' });

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
