import type { TransactionKind } from '../../domain/transaction/transaction-state.ts';
import type { Gather } from './evidence/evidence-context.ts';
import { gatherClaim } from './evidence/claim.ts';
import { gatherCreation, gatherMint } from './evidence/creation-and-mint.ts';
import { gatherDeposit, gatherPlaces, gatherUnsolicited } from './evidence/deposits.ts';
import { gatherExecution } from './evidence/execution.ts';
import { gatherAnchor, gatherNothing } from './evidence/operator.ts';
import { gatherDelivery, gatherLiquidity } from './evidence/settlement.ts';
import { gatherMove } from './evidence/settled-vault.ts';
import { gatherUnstake } from './evidence/stakes.ts';
import { gatherClosing, gatherHandOver, gatherPotEvidence, gatherRemainder } from './evidence/termination.ts';

/** Where the evidence for each kind of transaction comes from; a kind without one does not compile. */
export const evidenceRegister: { readonly [Kind in TransactionKind]: Gather<Kind> } = {
  create_vault: gatherCreation,
  add_asset: gatherDeposit,
  remove_asset: gatherPlaces,
  remove_investment: gatherPlaces,
  invest: gatherNothing,
  stake: gatherNothing,
  unstake: gatherUnstake,
  mint: gatherMint,
  deliver: gatherDelivery,
  liquidity: gatherLiquidity,
  refund: gatherPlaces,
  fan_out: gatherNothing,
  anchor: gatherAnchor,
  execute: gatherExecution,
  return_unsolicited: gatherUnsolicited,
  gather_pot: gatherPotEvidence,
  hand_over: gatherHandOver,
  pay_remainder: gatherRemainder,
  close_vault: gatherClosing,
  claim: gatherClaim,
  move_custody: gatherMove,
  move_kept: gatherMove,
};
