import { z } from 'zod';
import { AmountText, Timestamp } from '../../platform/http/fields.ts';
import { AssetTypeName } from '../../assets/routes/enums.ts';
import { deliveredPayment, refundedPayment } from './payments.ts';

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
const delivered = z.looseObject({ deposits: z.array(deposit.extend({ payment: deliveredPayment })) });
const refunded = z.looseObject({ deposits: z.array(deposit.extend({ payment: refundedPayment })) });

/** What events of assets and investments say. */
export const depositEventData = {
  ASSET_ADD_STARTED: namedAsset,
  ASSET_ADDED: asset,
  ASSET_ADD_ROLLED_BACK: asset,
  ASSET_ADD_EXPIRED: asset,
  ASSET_PRICED: namedAsset.extend({
    price: AmountText.describe('Lovelace, of one whole token or one NFT'),
    source: z.string().describe('As `priceSource` of the asset'),
    asOf: Timestamp.describe('As `lastValuation` of the asset'),
  }),
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
