import { finalities, transactionKinds, transactionStates } from '../rules.ts';
import { enumSchema } from '../../platform/http/fields.ts';

export const TransactionStateEnum = enumSchema('TransactionStatus', transactionStates, {
  awaiting_signatures: 'a wallet must sign before it is submitted; with an `error` it takes no more signatures',
  pending: 'fully signed, or signed by the platform only; it is about to be submitted',
  submitted: 'submitted and in no block, or in no block any more after a rollback',
  confirmed: 'in a block',
  final: 'so deep in the ledger that no rollback is expected',
  expired:
    'its time ended before it was seen in a block, or it was superseded; should it have landed after all, it becomes `confirmed`',
  failed: 'the ledger rejected it for good; should it land after all, it becomes `confirmed`',
});

export const FinalityEnum = enumSchema('TransactionFinality', finalities, {
  none: 'in no block',
  low: 'in a block, with at most a third of the confirmations after which it is final',
  medium: 'more than a third of them',
  high: 'more than two thirds of them',
  final:
    'so deep in the ledger that no rollback is expected: 15 confirmations, 3 on the embedded ledger, unless configured otherwise',
});

export const TransactionKindEnum = enumSchema('TransactionKind', transactionKinds, {
  create_vault: 'creates a vault on the ledger',
  add_asset: 'sends an asset to its deposit address',
  remove_asset: 'returns an asset while the asset window is open',
  remove_investment: 'returns an investment to its investor while the investment window is open',
  invest: 'sends ADA to its deposit address',
  stake: 'sends tokens to a stake script',
  unstake: 'returns staked tokens to their owner',
  mint: "mints the vault's whole token supply when it settles",
  deliver: 'pays owners their part of the settlement',
  liquidity: 'sets the liquidity share aside, and the share of owners who took deposits back',
  refund: 'returns the deposits of a failed vault',
  fan_out: "splits the platform's funds into more outputs",
  anchor: 'carries the Merkle root of anchored facts',
  execute: 'executes a proposal',
  return_unsolicited: 'returns an unsolicited payment to a vault',
  move_custody: 'moves what a vault has to its new custody',
  move_kept: 'moves what executions never spend to the new custody',
  gather_pot: 'gathers what a vault that ends shares among its holders',
  hand_over: 'sends assets of a vault that ends to a named wallet',
  pay_remainder: 'pays what nobody claimed to the named wallet',
  close_vault: 'leaves only tokens without value with a vault that has ended',
  claim: 'returns tokens of a vault that ends, and pays their holder out of its pot',
});
