import type { z } from 'zod';
import { exampleWallet as proposer } from '../../transactions/routes/example-wallet.ts';
import type { CreateProposal } from './request.ts';

const buyer = 'addr_test1vquugaucgmgw90gvxwfs4h6r5ql4fa7txfj2fwdgtwps37qcy8zv8';
const pool = 'addr_test1vpk6jnefqzkraye5htcju0juy8z3yh2rfthge3530zg7e3sa2j6ph';
const asset = { policy_id: 'b3e2f8d1a4c5967078123456789abcdef0123456789abcdef0123456', asset_name: 'HarbourLoft001' };

/** A proposal for each action. */
export const proposalExamples: Readonly<Record<string, z.input<typeof CreateProposal>>> = {
  saleToAnyoneAtAPrice: {
    proposer,
    proposal_details: {
      title: 'Sell the loft',
      description: 'Somebody offers more than its last valuation.',
      action_type: 'sell_asset',
      affected_assets: [asset],
      terms: { price: '250000000' },
    },
  },
  purchase: {
    proposer,
    proposal_details: {
      title: 'Buy the loft next door',
      description: 'Its owner sells.',
      action_type: 'buy_asset',
      affected_assets: [{ ...asset, asset_name: 'HarbourLoft002' }],
      terms: { price: 100_000_000, seller_address: buyer, quantity: '1' },
    },
    governance_thresholds: { vote_threshold: 50, execution_threshold: 66.67, required_cosigners: 2 },
  },
  staking: {
    proposer,
    proposal_details: {
      title: 'Stake the loft',
      description: 'The vault lists this address.',
      action_type: 'stake_asset',
      affected_assets: [asset],
      terms: { direction: 'out', staking_address: pool },
    },
    phases: { voting_duration: '48h', lock_duration: '00:12:00' },
  },
  liquidation: {
    proposer,
    proposal_details: {
      title: 'End the vault',
      description: 'What is left goes to its holders.',
      action_type: 'liquidate',
      terms: { remaining_assets_to: proposer },
    },
  },
};
