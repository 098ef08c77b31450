import { z } from 'zod';
import { vaultActions } from '../../domain/vault/allowed-actions.ts';
import { assetReleaseReasons, assetStatuses, assetTypes } from '../../domain/asset/asset.ts';
import { errorRegistry } from '../../domain/errors.ts';
import { holdReasons } from '../../domain/vault/hold.ts';
import { investmentReleaseReasons, investmentStatuses } from '../../domain/investment/investment.ts';
import { transactionKinds, transactionStates } from '../../domain/transaction/transaction-state.ts';
import { valuationTypes, terminationReasons, vaultStatuses, vaultTypes } from '../../domain/vault/vault.ts';
import { vaultPhases } from '../../domain/vault/phase.ts';
import { windowStatuses } from '../../domain/vault/window.ts';

// Words of answers, each published once with what it means. Those of governance stand in `governance-words.ts`.

/** One of the words, published as the component `id`; `meanings` has a sentence for each. */
export function enumSchema<const Words extends readonly [string, ...string[]]>(
  id: string,
  words: Words,
  meanings: Readonly<Record<Words[number], string>>,
) {
  const lines = words.map((word: Words[number]) => `- \`${word}\`: ${meanings[word]}`);
  return z.enum(words).meta({ id, description: lines.join('\n') });
}

export const RefusalCode = z.enum(Object.keys(errorRegistry)).meta({
  id: 'ErrorCode',
  description: 'Its type, HTTP status and sentence, and whether a retry can help, stand in `x-error-codes`',
});

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

export const AssetTypeEnum = enumSchema('AssetType', assetTypes, {
  NFT: 'one indivisible unit',
  CNT: 'a fungible token, in a quantity',
});

export const AssetStatusEnum = enumSchema('AssetStatus', assetStatuses, {
  PENDING: 'the transaction that brings it is in no block yet, or waits for its signature',
  LOCKED: 'in the vault',
  RELEASED: 'not in the vault; `releaseReason` says why',
});

export const AssetReleaseReasonEnum = enumSchema('AssetReleaseReason', assetReleaseReasons, {
  expired: 'its transaction was not signed, or not in a block, in time, or gave way to another attempt',
  failed: 'the ledger refused its transaction for good',
  removed: 'returned while the asset window was open',
  refunded: 'returned by the vault, which failed',
  reclaimed: 'taken back by its owner alone after `settlesBy`',
  sold: 'by an executed proposal',
});

export const ValuationMethodEnum = enumSchema('ValuationMethod', ['floor_price', 'dex_price', 'custom'], {
  floor_price: 'an NFT, by what its price source says it is worth',
  dex_price: 'a CNT, by what its price source says a whole token is worth',
  custom: 'kept for prices set by hand; no asset has it yet',
});

export const InvestmentStatusEnum = enumSchema('InvestmentStatus', investmentStatuses, {
  PENDING: 'its transaction is in no block yet, or waits for its signature',
  CONFIRMED: 'counts',
  SETTLED: 'its tokens were delivered',
  REFUNDED: 'back with its wallet',
  EXPIRED: 'never came in',
});

export const InvestmentReleaseReasonEnum = enumSchema('InvestmentReleaseReason', investmentReleaseReasons, {
  expired: 'its transaction was not signed, or not in a block, in time',
  failed: 'the ledger refused its transaction for good',
  refunded: 'returned by the vault, which failed',
  reclaimed: 'taken back by its owner alone after `settlesBy`',
});

export const TransactionStateEnum = enumSchema('TransactionStatus', transactionStates, {
  awaiting_signatures: 'a wallet has to sign, and nothing is sent before; with an `error` it takes no more signatures',
  pending: 'fully signed, or the platform signs; about to be sent',
  submitted: 'sent; in no block yet, or no longer after a rollback',
  confirmed: 'in a block',
  final: 'so deep in the ledger that it stays',
  expired: 'its time was over before it was in a block, or it gave way to another; it can never land',
  failed: 'the ledger refused it for good; it can never land',
});

export const TransactionKindEnum = enumSchema('TransactionKind', transactionKinds, {
  create_vault: 'puts a new vault on the ledger',
  add_asset: 'brings an asset to its deposit address',
  remove_asset: 'returns an asset in the asset window',
  invest: 'brings ADA to its deposit address',
  stake: 'brings tokens to a stake script',
  unstake: 'brings staked tokens back',
  mint: "mints a settling vault's whole token supply",
  deliver: 'pays owners what the settlement plan gives them',
  liquidity: 'sets the liquidity share aside, and what is kept for owners who took deposits back',
  refund: 'returns the deposits of a vault that failed',
  fan_out: "splits the platform's funds",
  anchor: 'carries the Merkle root of anchored facts',
  execute: 'does what a proposal decided',
  return_unsolicited: 'returns what was sent to a vault unasked',
});
