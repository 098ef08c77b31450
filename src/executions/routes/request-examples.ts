import type { z } from 'zod';
import { exampleWallet as proposer } from '../../transactions/routes/example-wallet.ts';
import type { ExecuteProposal } from './request.ts';

const buyer = 'addr_test1vquugaucgmgw90gvxwfs4h6r5ql4fa7txfj2fwdgtwps37qcy8zv8';
const cosigner = 'addr_test1vq3safrfvu8nn4mupkmwf8y5esgsu8lfdemwf4sm963h0ns592j3j';
const asset = { policy_id: 'b3e2f8d1a4c5967078123456789abcdef0123456789abcdef0123456', asset_name: 'HarbourLoft001' };

/** The executions of the sale and of the liquidation. */
export const executionExamples: Readonly<Record<string, z.input<typeof ExecuteProposal>>> = {
  sale: {
    executing_user: proposer,
    cosigners: [cosigner],
    action: { type: 'sell_asset', details: { ...asset, price: '250000000', buyer_address: buyer } },
  },
  liquidation: {
    executing_user: proposer,
    cosigners: [cosigner],
    action: { type: 'liquidate', details: { remaining_assets_to: proposer } },
  },
};
