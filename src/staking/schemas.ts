import { z } from 'zod';
import { type Caller, mayActFor, isPermitted } from '../access/rules.ts';
import type { NetworkId } from '../cardano/transaction.ts';
import { enumSchema, RefusalCode, BaseUnitsText, Timestamp, WholeTokens } from '../platform/http/fields.ts';
import { isoText } from '../platform/units/time.ts';
import { type BaseUnits, printTokenAmount } from '../platform/units/money.ts';
import type { ListedStake } from './queries/vault-stakes.ts';
import { stakeReleaseReasons, stakeStatuses, allowedStakeActions, votingPower } from './rules.ts';
import { exampleStakeScript, cosigner } from '../transactions/routes/examples.ts';
import { OwnerScript, stakeOwnerScript } from '../transactions/routes/owner-script.ts';

const StakeStatusEnum = enumSchema('StakeStatus', stakeStatuses, {
  ACTIVE: 'no unfinished proposal uses it. It has voting power when it is final, and its owner can unstake it.',
  LOCKED: 'a vote in an unfinished proposal uses it, until `lockedUntil` at the latest',
  RELEASED: 'no longer staked. `releaseReason` says why.',
});

const StakeReleaseReasonEnum = enumSchema('StakeReleaseReason', stakeReleaseReasons, {
  unstaked: 'returned to its owner by a transaction that owner and vault signed',
  expired: 'its transaction was not signed or not in a block in time. The tokens never left the wallet of the owner.',
  reclaimed: 'taken back by its owner after `ownerAloneFrom`, without the vault',
});

// Recorded on a development stack.

const stakeExample = {
  id: '01a1ffab-ac07-78b4-b5bf-d4db3a884ae8',
  vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
  wallet: cosigner,
  amount: 203571.428571,
  amountBaseUnits: '203571428571',
  status: 'LOCKED',
  lockedUntil: '2026-12-04T19:58:24.617Z',
  votingPower: 203571.428571,
  votingPowerBaseUnits: '203571428571',
  usedPower: 200000,
  usedPowerBaseUnits: '200000000000',
  createdAt: '2026-11-23T19:55:14.158Z',
  updatedAt: '2026-11-28T19:58:24.717Z',
  transactions: { stakeHash: 'ff024d128d463ccb17d31ab64f13111d525c2395054e2974c644123525ad76d7' },
  finalAt: '2026-11-23T19:55:16.630Z',
  releaseReason: null,
  scriptAddress: exampleStakeScript.address,
  releaseSlot: 160343714,
  ownerAloneFrom: '2027-11-23T19:55:14.000Z',
  allowedActions: [{ action: 'unstake', allowed: false, reason: 'STAKE_LOCKED' }],
  ownerScript: exampleStakeScript,
};

/** The spec's Stake. Amounts are in whole tokens; the fields in base units are exact (design D10). */
export const StakeResource = z
  .object({
    id: z.uuid(),
    vaultId: z.uuid(),
    wallet: z.string(),
    amount: WholeTokens,
    amountBaseUnits: BaseUnitsText,
    status: StakeStatusEnum,
    lockedUntil: Timestamp.describe(
      'Only for a LOCKED stake: the latest end of the execution phases that use it. It is free earlier if those proposals end earlier.',
    ).optional(),
    votingPower: z
      .number()
      .describe('Whole tokens with which the stake can vote. 0 until it is final, and while it is being returned.'),
    votingPowerBaseUnits: BaseUnitsText,
    usedPower: z.number().describe('Whole tokens. The largest amount that any one unfinished vote uses.'),
    usedPowerBaseUnits: BaseUnitsText,
    createdAt: Timestamp,
    updatedAt: Timestamp.describe('Time at which its status, its voting power or its use last changed.'),
    transactions: z.object({
      stakeHash: z.string().describe('Hash of the transaction that brings the tokens.'),
      unstakeHash: z
        .string()
        .describe('Hash of the transaction that returns them. Omitted if there is none.')
        .optional(),
    }),
    finalAt: Timestamp.nullable().describe('`null` until the transaction that brought the stake is final.'),
    releaseReason: StakeReleaseReasonEnum.nullable().describe('`null` unless the stake is RELEASED.'),
    scriptAddress: z.string().describe('Address of the stake script that holds the tokens.'),
    releaseSlot: z.int().describe('`ownerAloneFrom` as the ledger slot in the script.'),
    ownerAloneFrom: Timestamp.describe('From this time on, the owner can take the tokens back without the vault.'),
    allowedActions: z
      .array(
        z.object({
          action: z.literal('unstake'),
          allowed: z.boolean().describe('Whether the caller can do it now.'),
          reason: RefusalCode.nullable().describe('Error code that the caller would get. `null` if it is allowed.'),
        }),
      )
      .describe('unstake: `DELETE /api/v1/stakes/{stakeId}`.'),
    ownerScript: OwnerScript,
  })
  .meta({ id: 'Stake', examples: [stakeExample] });

export function presentStake(
  { stake, ftDecimals, vaultKeyHash, stakeHash, unstakeHash }: ListedStake,
  caller: Caller,
  networkId: NetworkId,
) {
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
    allowedActions: allowedStakeActions(stake, { actsForOwner: mayUnstake(caller, stake.wallet) }),
    ownerScript: stakeOwnerScript(vaultKeyHash, stake, networkId),
  };
}

/** Whether the caller acts for the owner of a stake, and may return stakes. */
function mayUnstake(caller: Caller, owner: string): boolean {
  const required = { resource: 'stake', action: 'DELETE' } as const;
  return mayActFor(caller, owner) && isPermitted(caller.permissions, required, { own: caller.wallet === owner });
}

/** Whole tokens as the JSON number that the spec requires. It may lose digits; the fields in base units do not. */
export function wholeTokens(units: BaseUnits, decimals: number): number {
  return Number(printTokenAmount(units, decimals));
}
