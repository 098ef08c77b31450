import { canaries } from '../secrets/canaries.ts';

/** A create request with every field of the specification. */
export function vaultBody(adminAddress: string) {
  return {
    vault_name: 'Harbour Loft',
    vault_type: 'public',
    privacy_type: 'PUBLIC',
    admin_user: { wallet_address: adminAddress, email: canaries.email },
    asset_settings: {
      allowed_asset_types: ['NFT', 'CNT'],
      policy_ids: [] as string[],
      valuation_type: 'LBE',
      floor_price_percentage: 90,
      max_assets: 10,
    },
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
}
