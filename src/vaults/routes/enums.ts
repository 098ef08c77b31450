import { allowListTypes } from '../rules/access.ts';
import { vaultActions } from '../rules/allowed-actions.ts';
import { holdReasons, terminationReasons, vaultStatuses } from '../rules/vault.ts';
import { vaultPhases } from '../rules/phase.ts';
import { valuationTypes, vaultTypes } from '../../types/rules.ts';
import { windowStatuses } from '../rules/window.ts';
import { enumSchema, openEnumSchema } from '../../platform/http/fields.ts';

export const VaultTypeName = openEnumSchema(
  'VaultType',
  vaultTypes,
  {
    PUBLIC: 'anyone may read, contribute and invest',
    PRIVATE:
      'only the admin and wallets on the whitelists may contribute and invest. Only they, and wallets with a deposit or a stake, may read.',
    SEMI_PRIVATE: 'anyone may read. If a whitelist is not empty, only its wallets may contribute or invest.',
  },
  'any other name: a registered type. Its rules are in `typeRules` of the vault.',
);

export const VaultStatusEnum = enumSchema('VaultStatus', vaultStatuses, {
  DRAFT: 'the transaction that creates it is not in a block yet, or no window has opened yet',
  ACTIVE: 'from the opening of the first window until the settlement is complete',
  LOCKED:
    'settled: tokens are delivered, and their holders can stake and make proposals. ACTIVE again while a ' +
    'rollback has undone a part of the settlement.',
  TERMINATED: 'ended. `termination.reason` says why.',
});

export const VaultPhaseEnum = enumSchema('VaultPhase', vaultPhases, {
  creation: 'before the first window opens',
  asset_window: 'only the asset window is open',
  investment_window: 'only the investment window is open',
  asset_and_investment_window: 'both windows are open',
  between_windows: 'one window has ended, the other has not opened yet',
  finality: 'both windows have ended. The vault waits until every deposit is final and has a price.',
  settlement: 'the settlement plan is stored and is being paid',
  governance: 'settled. Token holders govern the vault.',
  refund: 'failed or cancelled. Deposits are being returned.',
  terminating: 'the settled vault is ending. `termination.steps` shows the progress.',
  ended: 'the vault has ended',
});

export const VaultActionEnum = enumSchema('VaultAction', vaultActions, {
  addAsset: '`POST /api/v1/vaults/{vaultId}/assets`',
  removeAsset: '`DELETE /api/v1/vaults/{vaultId}/assets/{assetId}`',
  invest: '`POST /api/v1/vaults/{vaultId}/investments`',
  stake: '`POST /api/v1/vaults/{vaultId}/stakes`',
  propose: '`POST /api/v1/vaults/{vaultId}/proposals`',
  claim: '`POST /api/v1/vaults/{vaultId}/claims`',
  rotate: '`POST /api/v1/vaults/{vaultId}/rotations`',
  changeAllowList: '`PATCH /api/v1/vaults/{vaultId}/allowlist`',
  changeSettings: '`PATCH /api/v1/vaults/{vaultId}`',
  cancel: '`POST /api/v1/vaults/{vaultId}/cancel`',
  delete: '`DELETE /api/v1/vaults/{vaultId}`',
});

export const AllowListTypeEnum = enumSchema('AllowListType', allowListTypes, {
  ASSET: '`assetWhitelist`: policy ids of the assets that the vault accepts',
  CONTRIBUTOR: '`contributorWhitelist`: wallets that may contribute',
  INVESTOR: '`investorWhitelist`: wallets that may invest',
});

export const WindowStatusEnum = enumSchema('WindowStatus', windowStatuses, {
  PENDING: 'not open yet',
  ACTIVE: 'open',
  COMPLETED: 'ended',
  FAILED:
    'ended, and the vault failed because of it (no assets, or reserve not reached), or the vault ended before the window did',
});

export const HoldReasonEnum = enumSchema('HoldReason', holdReasons, {
  stale_price: 'the price of an asset is too old for the settlement. The vault continues with a newer price.',
  price_unavailable: 'the price source has no price for an asset. The vault continues when it has one.',
  quarantined:
    'the effects of one of its transactions could not be recorded. An operator fixes the cause and retries it.',
  repeated_failures:
    'a step of the vault fails again and again, for example because the operator lacks ADA or the ledger rejects ' +
    'its transaction. The service retries it less and less often.',
  unjustified_transaction:
    'the platform refused to sign one of its transactions, or another one than recorded reached a block. An operator investigates.',
});

export const TerminationReasonEnum = enumSchema('TerminationReason', terminationReasons, {
  no_assets: 'no asset with a value was contributed before the asset window ended',
  reserve_not_reached: 'the investments are below `investment.reserve`',
  lp_below_minimum: 'the ADA of the liquidity share would be below the minimum of the deployment',
  cancelled: 'cancelled by the admin before the settlement',
  settlement_deadline: 'not settled by `settlesBy`',
  programmed_end: 'the programmed duration has passed',
  floor_price_deviation: 'the assets lost more value than `termination.fdp` allows',
  liquidated: 'liquidated by a decision of the token holders',
});

export const ValuationTypeEnum = enumSchema('ValuationType', valuationTypes, {
  FIXED:
    'the value of an asset is its price when the service first submits its transaction. Without such a price, ' +
    'the price of the request counts. If that differs from the market price at the end of the asset window by ' +
    'more than a factor of two, the market price counts.',
  LBE: 'the value of an asset is its price when the asset window closes',
});
