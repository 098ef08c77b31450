import { z } from 'zod';
import { isoText } from '../../domain/units/instant.ts';
import type { ListedInvestment } from '../../store/vault-investments.ts';
import { AmountText, Timestamp } from '../server/fields.ts';
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
  status: InvestmentStatusEnum,
  releaseReason: InvestmentReleaseReasonEnum.nullable().describe('Null unless the investment is REFUNDED or EXPIRED'),
  createdAt: Timestamp,
});

export const InvestmentResource = InvestmentFields.extend({
  transactionHash: z.string().describe('Hash of the transaction that brings the investment'),
}).meta({ id: 'Investment', examples: [investmentExample] });

export function presentInvestment({
  investment,
  transactionHash,
}: ListedInvestment): z.input<typeof InvestmentResource> {
  return {
    investmentId: investment.id,
    vaultId: investment.vaultId,
    walletAddress: investment.wallet,
    lovelace: investment.lovelace.toString(),
    deliveryDeposit: investment.deliveryDeposit.toString(),
    status: investment.status,
    releaseReason: investment.releaseReason,
    createdAt: isoText(investment.createdAt),
    transactionHash,
  };
}
