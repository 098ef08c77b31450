import { z } from 'zod';
import { AmountText } from '../../server/fields.ts';
import { AssetTypeName } from '../assets/enums.ts';

const amount = AmountText.describe('Base units of the token');
const lovelace = AmountText.describe('Lovelace');
const namedAsset = z.looseObject({
  assetId: z.uuid().describe('The asset'),
  policyId: z.string().describe('Policy id, hex'),
  assetName: z.string().describe('Asset name, hex'),
});
const asset = namedAsset.extend({ assetType: AssetTypeName, quantityBaseUnits: amount });
const investment = z.looseObject({ investmentId: z.uuid().describe('The investment'), lovelace });
const deposit = z.looseObject({
  depositId: z.uuid().describe('The asset or the investment'),
  depositKind: z.enum(['asset', 'investment']).describe('What was deposited'),
});
const payment = z.looseObject({
  owner: z.string().describe('Address that is paid'),
  deposit: z
    .looseObject({ txHash: z.string().describe('Transaction hash'), index: z.int().describe('Index of the output') })
    .describe('The output that was deposited'),
  feeShare: lovelace.describe('Share of the network fee, in lovelace'),
});
const deliveredPayment = payment.extend({
  ft: amount.describe('Fractional tokens, in base units'),
  lovelaceShare: lovelace.describe('Share of the invested ADA, in lovelace'),
  depositReturned: lovelace.describe('What is left of the delivery deposit, in lovelace'),
  custodyMinAda: lovelace.describe('Lovelace that the asset keeps in custody; 0 for an investment'),
  ownerOutput: z.int().describe('Index of the output that pays the owner'),
  custodyOutput: z.int().nullable().describe('Index of the output of the asset in custody; null for an investment'),
});
const refundedPayment = payment.extend({
  lovelaceReturned: lovelace.describe('Lovelace that the owner has back; assets come with it'),
});
const delivered = z.looseObject({ deposits: z.array(deposit.extend({ payment: deliveredPayment })) });
const refunded = z.looseObject({ deposits: z.array(deposit.extend({ payment: refundedPayment })) });

/** What events of assets and investments say. */
export const depositEventData = {
  ASSET_ADD_STARTED: namedAsset,
  ASSET_ADDED: asset,
  ASSET_ADD_ROLLED_BACK: asset,
  ASSET_ADD_EXPIRED: asset,
  ASSET_REMOVE_STARTED: namedAsset,
  ASSET_REMOVED: asset,
  ASSET_REMOVE_ROLLED_BACK: asset,
  ASSET_REMOVE_EXPIRED: asset,
  DUPLICATE_RETURN_STARTED: z.looseObject({
    output: z.string().describe('The output, as hash#index'),
    to: z.string().describe('Address that it goes back to'),
  }),
  INVESTMENT_STARTED: investment,
  INVESTMENT_MADE: investment,
  INVESTMENT_ROLLED_BACK: investment,
  INVESTMENT_EXPIRED: investment,
  INVESTMENT_REMOVE_STARTED: investment,
  INVESTMENT_REMOVED: investment,
  INVESTMENT_REMOVE_ROLLED_BACK: investment,
  INVESTMENT_REMOVE_EXPIRED: investment,
  DEPOSITS_DELIVERED: delivered,
  DEPOSITS_DELIVERY_ROLLED_BACK: delivered,
  DEPOSITS_REFUNDED: refunded,
  DEPOSITS_REFUND_ROLLED_BACK: refunded,
  DEPOSIT_RECLAIMED: deposit,
  DEPOSIT_RECLAIM_ROLLED_BACK: deposit,
};
