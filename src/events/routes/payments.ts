import { z } from 'zod';
import { AmountText } from '../../platform/http/fields.ts';

const lovelace = AmountText.describe('Lovelace');
const payment = z.looseObject({
  owner: z.string().describe('Address that is paid'),
  deposit: z
    .looseObject({ txHash: z.string().describe('Transaction hash'), index: z.int().describe('Index of the output') })
    .describe('The output that was deposited'),
  feeShare: lovelace.describe('Share of the network fee, in lovelace'),
});
/** What the owner of a deposit receives by a delivery. */
export const deliveredPayment = payment.extend({
  ft: AmountText.describe('Fractional tokens, in base units'),
  lovelaceShare: lovelace.describe('Share of the invested ADA, in lovelace'),
  depositReturned: lovelace.describe('What is left of the delivery deposit, in lovelace'),
  custodyMinAda: lovelace.describe('Lovelace that the asset keeps in custody; 0 for an investment'),
  ownerOutput: z.int().describe('Index of the output that pays the owner'),
  custodyOutput: z.int().nullable().describe('Index of the output of the asset in custody; null for an investment'),
});
/** What the owner of a deposit receives by a refund. */
export const refundedPayment = payment.extend({
  lovelaceReturned: lovelace.describe('Lovelace that the owner has back; assets come with it'),
});
