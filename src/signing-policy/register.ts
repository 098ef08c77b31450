import type { TransactionKind } from '../transactions/rules.ts';
import type { EvidenceByKind } from './evidence.ts';
import type { Rule } from './policy.ts';
import { anchor, fanOut, moveCustody, returnUnsolicited } from './rules/operator.ts';
import { createVault } from './rules/create-vault.ts';
import { deliver, liquidity } from './rules/deliver.ts';
import { deposit, ofWallets, unstake } from './rules/wallets.ts';
import { execute } from './rules/execution.ts';
import { mint } from './rules/mint.ts';
import { refund, removal } from './rules/return-deposits.ts';
import { claim, closeVault, gatherPot, handOver, payRemainder } from './rules/termination.ts';

/** The rule of every kind of transaction (design D44): a kind without one does not compile. */
export const ruleRegister: { readonly [Kind in TransactionKind]: Rule<EvidenceByKind[Kind]> } = {
  create_vault: createVault,
  add_asset: deposit,
  remove_asset: removal,
  remove_investment: removal,
  invest: ofWallets,
  stake: ofWallets,
  unstake,
  mint,
  deliver,
  liquidity,
  refund,
  fan_out: fanOut,
  anchor,
  execute,
  return_unsolicited: returnUnsolicited,
  gather_pot: gatherPot,
  hand_over: handOver,
  pay_remainder: payRemainder,
  close_vault: closeVault,
  claim,
  move_custody: moveCustody,
  move_kept: moveCustody,
};
