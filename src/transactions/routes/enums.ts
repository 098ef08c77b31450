import { finalities, transactionKinds, transactionStates } from '../rules.ts';
import { enumSchema } from '../../platform/http/fields.ts';

export const TransactionStateEnum = enumSchema('TransactionStatus', transactionStates, {
  awaiting_signatures: 'a wallet must sign it. With an `error`, it does not accept signatures any longer.',
  pending: 'fully signed, or signed by the platform only. It is about to be submitted.',
  submitted: 'submitted, but not in a block, or no longer after a rollback',
  confirmed: 'in a block',
  final: 'so deep in the ledger that no rollback is expected',
  expired: 'not in a block in time, or replaced. If it reaches a block after all, it becomes `confirmed`.',
  failed: 'the ledger rejected it. If it reaches a block after all, it becomes `confirmed`.',
});

export const FinalityEnum = enumSchema('TransactionFinality', finalities, {
  none: 'in no block',
  low: 'in a block, with at most a third of the confirmations for finality',
  medium: 'more than a third of them',
  high: 'more than two thirds of them',
  final:
    'so deep in the ledger that no rollback is expected: 15 confirmations, 3 on the embedded ledger, unless configured otherwise',
});

export const TransactionKindEnum = enumSchema('TransactionKind', transactionKinds, {
  create_vault: 'creates a vault on the ledger',
  add_asset: 'sends an asset to its deposit address',
  remove_asset: 'returns an asset while the asset window is open',
  remove_investment: 'returns an investment while the investment window is open',
  invest: 'sends ADA to its deposit address',
  stake: 'sends tokens to a stake script',
  unstake: 'returns staked tokens to their owner',
  mint: "mints the vault's whole token supply when it settles",
  deliver: 'pays owners their part of the settlement',
  liquidity: 'sends the liquidity share, and the share of owners who took deposits back, to their addresses',
  refund: 'returns the deposits of a failed vault',
  fan_out: "splits the platform's funds into more outputs",
  anchor: 'carries the Merkle root of anchored facts',
  execute: 'executes a proposal',
  return_unsolicited: 'returns an unsolicited payment to a vault',
  move_custody: 'moves everything in a vault to its new custody',
  move_kept: 'moves outputs that executions never spend to the new custody',
  gather_pot: 'gathers the ADA that holders of a vault that ends share',
  hand_over: 'sends assets of a vault that ends to a named wallet',
  pay_remainder: 'pays unclaimed ADA to the named wallet',
  close_vault: 'leaves only tokens without value with a vault that has ended',
  claim: 'returns tokens of a vault that ends, and pays their holder from its pot',
});
