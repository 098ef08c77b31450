import type { z } from 'zod';
import { exampleWallet } from '../../transactions/routes/example-wallet.ts';
import type { CreateVault } from './request.ts';

/** A request that is valid in every deployment at any time. */
export const exampleVault: z.input<typeof CreateVault> = {
  vault_name: 'Harbour Loft',
  vault_type: 'PUBLIC',
  admin_user: { wallet_address: exampleWallet },
  asset_settings: { allowed_asset_types: ['NFT', 'CNT'], valuation_type: 'LBE' },
  investment_settings: {
    investment_window_duration: '168h',
    minimum_investment_reserve: 20,
    ft_supply: 1_000_000,
    ft_token_decimals: 6,
    lp_percentage: 10,
  },
  governance_settings: {
    creation_threshold: 1,
    start_threshold: 5,
    vote_threshold: 30,
    execution_threshold: 51,
    cosigning_threshold: 10,
  },
};
