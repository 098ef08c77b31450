import { vaultActions } from '../../domain/vault/allowed-actions.ts';
import { holdReasons } from '../../domain/vault/hold.ts';
import { vaultPhases } from '../../domain/vault/phase.ts';
import { terminationReasons, valuationTypes, vaultStatuses, vaultTypes } from '../../domain/vault/vault.ts';
import { windowStatuses } from '../../domain/vault/window.ts';
import { enumSchema } from '../server/enums.ts';

export const VaultTypeEnum = enumSchema('VaultType', vaultTypes, {
  PUBLIC: 'anyone may read, contribute and invest',
  PRIVATE:
    'its admin and the wallets on its lists contribute and invest; nobody else is shown it but who has a deposit or a stake in it',
  SEMI_PRIVATE: 'anyone may read; a list that is not empty says who alone contributes, or invests',
});

export const VaultStatusEnum = enumSchema('VaultStatus', vaultStatuses, {
  DRAFT: 'its creation is not on the ledger, or no window has opened yet',
  ACTIVE: 'from the first open window until it has settled',
  LOCKED: 'settled: tokens are delivered, holders stake and propose',
  TERMINATED: 'ended; `termination.reason` says why',
});

export const VaultPhaseEnum = enumSchema('VaultPhase', vaultPhases, {
  creation: 'before the first window opens',
  asset_window: 'contributing only',
  investment_window: 'investing only',
  asset_and_investment_window: 'contributing and investing',
  between_windows: 'one window is over, the other has not opened',
  finality: 'both windows are over; waits until every deposit is final and priced',
  settlement: 'the plan is stored and being paid',
  governance: 'settled',
  refund: 'failed or cancelled; deposits are on their way back',
  terminating: 'holders have decided to end it',
  ended: 'nothing follows',
});

export const VaultActionEnum = enumSchema('VaultAction', vaultActions, {
  addAsset: '`POST /api/v1/vaults/{vaultId}/assets`',
  removeAsset: '`DELETE /api/v1/vaults/{vaultId}/assets/{assetId}`',
  invest: '`POST /api/v1/vaults/{vaultId}/investments`',
  stake: '`POST /api/v1/vaults/{vaultId}/stakes`',
  cancel: '`POST /api/v1/vaults/{vaultId}/cancel`',
});

export const WindowStatusEnum = enumSchema('WindowStatus', windowStatuses, {
  PENDING: 'not open yet',
  ACTIVE: 'open',
  COMPLETED: 'over',
  FAILED:
    'its vault failed by it (nothing was contributed, or the reserve was not reached), or ended before it was over',
});

export const HoldReasonEnum = enumSchema('HoldReason', holdReasons, {
  stale_price: 'the price of an asset is older than the vault may settle on; goes on with a fresh one',
  price_unavailable: 'the price source gives no price of an asset; goes on as soon as it does',
});

export const TerminationReasonEnum = enumSchema('TerminationReason', terminationReasons, {
  no_assets: 'nothing of value had been contributed when the asset window ended',
  reserve_not_reached: 'less was invested than `investment.reserve` asks for',
  lp_below_minimum: 'the liquidity share would have had less ADA than the deployment allows',
  cancelled: 'by its admin, before its settlement',
  settlement_deadline: 'not settled by `settlesBy`',
  programmed_end: 'its programmed time was over; ends no vault yet',
  floor_price_deviation: 'its assets lost more value than `termination.fdp` allows; ends no vault yet',
  liquidated: 'its holders decided it',
});

export const ValuationTypeEnum = enumSchema('ValuationType', valuationTypes, {
  FIXED: 'an asset counts at the price when it was contributed',
  LBE: 'an asset counts at the price when the asset window closed',
});
