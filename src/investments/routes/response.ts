import { z } from 'zod';
import type { NetworkId } from '../../cardano/transaction.ts';
import { isoText } from '../../platform/units/instant.ts';
import type { PresentBounds } from '../read-investments.ts';
import type { ListedInvestment } from '../queries/vault-investments.ts';
import { AmountText, Timestamp } from '../../platform/http/fields.ts';
import { depositOwnerScript, OwnerScript, type WithOwnerScript } from '../../transactions/routes/owner-script.ts';
import { InvestmentReleaseReasonEnum, InvestmentStatusEnum } from './enums.ts';
import { investmentExample } from './examples.ts';

/** What lists and the response to a new investment share. */
export const InvestmentFields = z.object({
  investmentId: z.uuid(),
  vaultId: z.uuid(),
  walletAddress: z.string(),
  lovelace: AmountText.describe('Invested lovelace'),
  deliveryDeposit: AmountText.describe(
    'Lovelace sent along with the investment; they pay for its delivery or return, and the wallet gets back what is left',
  ),
  minVaultValue: AmountText.describe(
    'Lovelace that the assets of the vault must be worth when it settles for the investment to count; 0 = no bound',
  ),
  maxFdv: AmountText.nullable().describe(
    'Highest FDV, in lovelace, up to which the investment counts when the vault settles; `null` = no bound',
  ),
  status: InvestmentStatusEnum,
  releaseReason: InvestmentReleaseReasonEnum.nullable().describe('Null unless the investment is REFUNDED or EXPIRED'),
  createdAt: Timestamp,
  ownerScript: OwnerScript,
});

export const InvestmentResource = InvestmentFields.extend({
  boundHolds: z
    .boolean()
    .describe('Whether the assets of the vault are worth `minVaultValue` now, as the settlement counts them'),
  fdvBoundHolds: z
    .boolean()
    .describe(
      'Whether the FDV is at most `maxFdv` now, with this investment and all that come before it: those that accept a higher FDV, and smaller ones that accept the same',
    ),
  transactionHash: z.string().describe('Hash of the transaction that brings the investment'),
}).meta({ id: 'Investment', examples: [investmentExample] });

export function presentInvestment(
  { investment, guard, transactionHash }: ListedInvestment,
  { vaultValue, judged: { fdv, above } }: PresentBounds,
  networkId: NetworkId,
): WithOwnerScript<z.input<typeof InvestmentResource>> {
  return {
    investmentId: investment.id,
    vaultId: investment.vaultId,
    walletAddress: investment.wallet,
    lovelace: investment.lovelace.toString(),
    deliveryDeposit: investment.deliveryDeposit.toString(),
    minVaultValue: investment.minVaultValue.toString(),
    maxFdv: investment.maxFdv?.toString() ?? null,
    fdvBoundHolds:
      investment.returnReason !== 'fdv_above_bound' && !above.has(investment.id) && (investment.maxFdv ?? fdv) >= fdv,
    boundHolds: investment.minVaultValue <= vaultValue,
    status: investment.status,
    releaseReason: investment.releaseReason,
    createdAt: isoText(investment.createdAt),
    ownerScript: depositOwnerScript(guard, investment.wallet, networkId),
    transactionHash,
  };
}
