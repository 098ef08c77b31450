import { z } from 'zod';
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
    /** While it is LOCKED. */
    lockedUntil: Timestamp.optional(),
    votingPower: z.number(),
    votingPowerBaseUnits: AmountText,
    usedPower: z.number(),
    usedPowerBaseUnits: AmountText,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    transactions: z.object({ stakeHash: z.string(), unstakeHash: z.string().optional() }),
    /** Null until the transaction that brought it is final. */
    finalAt: Timestamp.nullable(),
    releaseReason: z.enum(releaseReasons).nullable(),
    /** Where the tokens lie, and from when on their owner takes them from there without us. */
    scriptAddress: z.string(),
    releaseSlot: z.int(),
    ownerAloneFrom: Timestamp,
    allowedActions: z.array(
      z.object({ action: z.literal('unstake'), allowed: z.boolean(), reason: z.string().optional() }),
    ),
  })
  .meta({ id: 'Stake' });

export function presentStake({ stake, ftDecimals, stakeHash, unstakeHash }: ListedStake) {
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
    allowedActions: allowedStakeActions(stake),
  };
}

/** Whole tokens as the JSON number the spec asks for; it may lose digits, the base units beside it do not. */
export function wholeTokens(units: BaseUnits, decimals: number): number {
  return Number(printTokenAmount(units, decimals));
}
