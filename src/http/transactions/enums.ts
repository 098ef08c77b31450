import { transactionKinds, transactionStates } from '../../domain/transaction/transaction-state.ts';
import { enumSchema } from '../server/enums.ts';

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
