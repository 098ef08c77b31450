import { blockchainError, businessError, type RegisteredError } from './error-kinds.ts';

/** Errors of vaults, their windows and their deposits. */
export const vaultErrors = {
  INVALID_TRANSITION: businessError('This state change is not possible'),
  OPERATION_PAUSED: businessError('The operator has paused this operation for now', true),
  VAULT_NOT_CANCELLABLE: businessError('The vault can no longer be cancelled'),
  VAULT_NOT_DELETABLE: businessError(
    'The vault cannot be deleted while it is in use, or while it holds or owes anything',
  ),
  VAULT_ALREADY_ENDED: businessError('The vault has ended or is ending'),
  ROTATION_UNDER_WAY: businessError('Another rotation of the vault is announced or runs'),
  ROTATION_NOT_CANCELLABLE: businessError('The rotation has begun or is over'),
  VAULT_WITHOUT_COSIGNERS: businessError('Only the cosigners of a vault can let others replace them, and it has none'),
  SETTING_NOT_CHANGEABLE: businessError('This setting of the vault can no longer be changed'),

  ASSET_WINDOW_NOT_OPEN: businessError('The asset window has not opened yet', true),
  ASSET_WINDOW_CLOSED: businessError('The asset window has closed'),
  INVESTMENT_WINDOW_NOT_OPEN: businessError('The investment window has not opened yet', true),
  INVESTMENT_WINDOW_CLOSED: businessError('The investment window has closed'),

  CONTRIBUTOR_NOT_WHITELISTED: businessError('This wallet may not contribute to the vault'),
  INVESTOR_NOT_WHITELISTED: businessError('This wallet may not invest in the vault'),
  ASSET_NOT_WHITELISTED: businessError('The vault does not accept assets of this policy'),
  ASSET_TYPE_NOT_ALLOWED: businessError('The vault does not accept assets of this type'),
  TYPE_IS_BUILT_IN: businessError('The types of the specification cannot be changed'),
  VALUATION_METHOD_NOT_ALLOWED: businessError('The vault does not value this asset by this method'),
  ASSET_IS_VAULT_TOKEN: businessError(
    'A vault cannot buy its own tokens, because their value depends on what the vault holds',
  ),
  ASSET_IS_REFERENCE_TOKEN: businessError(
    'A reference token (CIP-68, label 100) only describes another token. Use the token that it describes',
  ),
  MAX_ASSETS_REACHED: businessError('The vault already holds its maximum number of assets'),
  ASSETS_DO_NOT_FIT: businessError('The assets do not fit into one transaction'),
  ASSET_ALREADY_IN_VAULT: businessError('This asset is already in a vault'),
  ASSET_NOT_IN_WALLET: blockchainError(
    'The wallet does not hold this asset in this quantity; what it has staked counts once it is unstaked',
    true,
  ),
  ASSET_NOT_LOCKED: businessError('The asset is not locked in the vault yet', true),
  ASSET_ALREADY_LEAVING: businessError('The asset is already being returned'),
  ASSET_ALREADY_REMOVED: businessError('The asset is no longer in the vault'),
  INVESTMENT_NOT_CONFIRMED: businessError('The investment is not in a block yet', true),
  INVESTMENT_ALREADY_LEAVING: businessError('The investment is already being returned'),
  INVESTMENT_ALREADY_RETURNED: businessError('The investment is no longer in the vault'),
  INVESTMENT_TOO_SMALL: businessError('The investment is below the minimum of 5 ADA'),
  UTXO_NOT_ON_LEDGER: blockchainError('The ledger has no such unspent output with this value', true),
  INSUFFICIENT_FUNDS: blockchainError('The wallet does not hold enough ADA', true),
} as const satisfies Record<string, RegisteredError>;
