import { z } from 'zod';
import { isoText } from '../../../platform/units/instant.ts';
import type { ListedClaim } from '../../queries/vault-claims.ts';
import { AmountText, BaseUnitsText, Timestamp, WholeTokens } from '../../../platform/http/fields.ts';
import { wholeTokens } from '../../../staking/routes/response.ts';
import { ClaimStatusEnum } from './enums.ts';
import { claimExample } from './examples.ts';

/** Amounts are in whole tokens; the field in base units is exact (design D10). */
export const ClaimResource = z
  .object({
    id: z.uuid(),
    vaultId: z.uuid(),
    wallet: z.string(),
    amount: WholeTokens,
    amountBaseUnits: BaseUnitsText,
    payoutLovelace: AmountText.describe(
      'Lovelace that the tokens bring: their part of what circulated, of the pot, rounded down. Fixed by the transaction',
    ),
    status: ClaimStatusEnum,
    transactionHash: z.string().describe('The transaction that returns the tokens and pays the holder'),
    claimDeadline: Timestamp.describe('Until when holders can claim from the vault at least'),
    createdAt: Timestamp,
    updatedAt: Timestamp.describe('When its status last changed'),
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
