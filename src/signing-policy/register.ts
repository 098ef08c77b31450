import type { TransactionKind } from '../transactions/rules/transaction-state.ts';
import type { EvidenceByKind } from './evidence.ts';
import type { Rule } from './rule.ts';
import { anchor } from './rules/anchor.ts';
import { claim } from './rules/claim.ts';
import { closeVault } from './rules/close-vault.ts';
import { createVault } from './rules/create-vault.ts';
import { deliver } from './rules/deliver.ts';
import { deposit } from './rules/deposit.ts';
import { execute } from './rules/execution/execute.ts';
import { fanOut } from './rules/fan-out.ts';
import { gatherPot } from './rules/gather-pot.ts';
import { handOver } from './rules/hand-over.ts';
import { liquidity } from './rules/liquidity.ts';
import { mint } from './rules/mint.ts';
import { moveCustody } from './rules/move-custody.ts';
import { ofWallets } from './rules/of-wallets.ts';
import { payRemainder } from './rules/pay-remainder.ts';
import { refund, removal } from './rules/return-deposits.ts';
import { returnUnsolicited } from './rules/return-unsolicited.ts';
import { unstake } from './rules/unstake.ts';

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
