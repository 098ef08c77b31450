import type { TransactionKind } from './rules/transaction-state.ts';
import type { Gather } from '../signing-policy/evidence/evidence-context.ts';
import { gatherClaim } from '../signing-policy/evidence/claim.ts';
import { gatherCreation, gatherMint } from '../signing-policy/evidence/creation-and-mint.ts';
import { gatherDeposit, gatherPlaces, gatherUnsolicited } from '../signing-policy/evidence/deposits.ts';
import { gatherExecution } from '../signing-policy/evidence/execution.ts';
import { gatherAnchor, gatherNothing } from '../signing-policy/evidence/operator.ts';
import { gatherDelivery, gatherLiquidity } from '../signing-policy/evidence/settlement.ts';
import { gatherMove } from '../signing-policy/evidence/settled-vault.ts';
import { gatherUnstake } from '../signing-policy/evidence/stakes.ts';
import {
  gatherClosing,
  gatherHandOver,
  gatherPotEvidence,
  gatherRemainder,
} from '../signing-policy/evidence/termination.ts';

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
