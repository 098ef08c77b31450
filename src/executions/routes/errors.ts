import type { ErrorCode } from '../../platform/errors/errors.ts';
import { executionEffectFields } from '../../proposals/rules/requested-effect.ts';

/** The errors that freezing and executing share. */
export const executionErrors = [
  'PROPOSAL_NOT_FOUND',
  'EXECUTION_NOT_OPEN',
  'EXECUTION_CLOSED',
  'EXECUTION_UNDER_WAY',
  'VAULT_ALREADY_ENDED',
  'VAULT_NOT_LOCKED',
  'EXECUTOR_NOT_ELIGIBLE',
  'COSIGNER_NOT_ELIGIBLE',
  'PARTNER_REFUSED',
  'INSUFFICIENT_PERMISSIONS',
  'ACTION_DIFFERS_FROM_APPROVED',
  'PRICE_BELOW_VALUATION',
  'PRICE_ABOVE_VALUATION',
  'ASSET_NOT_IN_VAULT',
  'ASSET_NO_LONGER_HELD',
  'ASSET_NOT_STAKED',
  'STAKING_ADDRESS_NOT_LISTED',
  'ASSET_IS_VAULT_TOKEN',
  'ASSET_IS_REFERENCE_TOKEN',
  'ASSET_NOT_WHITELISTED',
  'ASSET_TYPE_NOT_ALLOWED',
  'INVALID_QUANTITY',
  'MAX_ASSETS_REACHED',
  'ASSET_ALREADY_IN_VAULT',
  'CUSTODY_ROTATING',
  'CUSTODY_IN_USE',
  'ASSET_NOT_IN_WALLET',
  'INSUFFICIENT_FUNDS',
  'INVALID_ASSET_NAME',
  'INVALID_ADDRESS',
  'WRONG_NETWORK',
  'PRICE_UNAVAILABLE',
  'LEDGER_UNAVAILABLE',
  'SERVICE_NOT_READY',
] as const satisfies readonly ErrorCode[];

const { assets, terms } = executionEffectFields;

/** The fields that these errors are about. */
export const executionErrorFields = {
  EXECUTOR_NOT_ELIGIBLE: 'executing_user',
  PRICE_BELOW_VALUATION: `${terms}.price`,
  PRICE_ABOVE_VALUATION: `${terms}.price`,
  STAKING_ADDRESS_NOT_LISTED: `${terms}.staking_address`,
  ASSET_NO_LONGER_HELD: assets,
  ASSET_NOT_STAKED: assets,
  ASSET_IS_VAULT_TOKEN: assets,
  ASSET_IS_REFERENCE_TOKEN: assets,
  ASSET_NOT_WHITELISTED: assets,
  ASSET_TYPE_NOT_ALLOWED: assets,
  ASSET_ALREADY_IN_VAULT: assets,
  ASSET_NOT_IN_WALLET: assets,
  PRICE_UNAVAILABLE: assets,
  INSUFFICIENT_FUNDS: terms,
  INSUFFICIENT_SIGNATURES: 'cosigners',
} as const satisfies Partial<Record<ErrorCode, string>>;
