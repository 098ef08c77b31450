import { parseWalletAddress } from '../cardano/scripts/address.ts';
import type { KeyHash, NetworkId } from '../cardano/transaction.ts';
import { type Caller, mayActFor } from '../access/rules/caller.ts';
import type { ExecutorSnapshot } from '../executions/rules/executor-refusals.ts';
import { isRefusedPartner } from '../executions/rules/repeated-execution.ts';
import { type ActionCaller, actionsForAnyWallet } from './rules/allowed-actions.ts';
import { startReached } from './rules/thresholds.ts';
import type { Instant } from '../platform/units/instant.ts';
import type { BaseUnits } from '../platform/units/money.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import type { Execution } from '../executions/queries/executions.ts';
import type { ProposalReader } from './queries/own-participation.ts';
import type { ViewedProposal } from './queries/viewed-proposals.ts';
import { readerScope } from '../vaults/vault-access.ts';
import type { Proposal } from './queries/proposals.ts';

import type { Vault } from '../vaults/queries/vaults.ts';

import { effectRules } from '../executions/rules/effects/rules-by-type.ts';
import { mayExecute } from '../executions/rules/executor-rules.ts';

/** Who reads proposals, and at which instant. */
export interface ReadContext {
  readonly db: Db | Transaction;
  readonly networkId: NetworkId;
  readonly caller: Caller;
  readonly now: Instant;
}

/** What the statements that read proposals have to know about their reader. */
export function proposalReader({ networkId, caller, now }: Omit<ReadContext, 'db'>): ProposalReader {
  const { wallet: address } = caller;
  const wallet = address === null ? null : { address, keyHash: parseWalletAddress(address, networkId).paymentKeyHash };
  return { scope: readerScope(caller), wallet, now };
}

/** How the caller, whose wallet has the payment key `keyHash`, participates in a proposal; `endorsed` are the base units of the proposer and all endorsers. */
export function participationIn(
  { caller, keyHash }: Pick<ReadContext, 'caller'> & { readonly keyHash: KeyHash | null },
  { proposal, vault, supply, execution, own }: ViewedProposal,
  endorsed: BaseUnits,
): ActionCaller {
  if (own === null || keyHash === null) return { forAnyWallet: actionsForAnyWallet(caller) };
  const { wallet, staked: power } = own;
  const { proposer, thresholds } = proposal;
  const opensVoting = startReached({ power: endorsed, supply, threshold: thresholds.start });
  return {
    endorsing: { power, isNew: wallet !== proposer && !own.hasEndorsed, opensVoting },
    votingPower: own.votingPower,
    vote: own.lastVote,
    mayCancel: mayActFor(caller, cancellingWallet(caller, proposal, vault)),
    executing: {
      hasPart: mayExecute({ wallet, keyHash, power }, { proposal, vault, supply }, null),
      isRefusedPartner: isRefusedPartner(proposal.effect, own.failedExecutions),
      ...partnership(wallet, proposal, execution && execution.execution),
    },
  };
}

/**
 * The wallet in whose name the caller cancels a proposal: the vault's admin if that is the caller, else the proposer. While the holders
 * of a vault that ends sell what is left, its admin cannot keep them from it.
 */
export function cancellingWallet(
  { wallet }: Caller,
  { proposer }: Proposal,
  { createdBy, claimsOpen }: Pick<Vault, 'createdBy' | 'claimsOpen'>,
): string {
  return wallet === createdBy && !claimsOpen ? createdBy : proposer;
}

/** Whether `wallet` is the buyer, seller or holder: of a new execution, whose partner the vote may leave open, and of the frozen one. */
function partnership(
  wallet: string,
  { effect }: Proposal,
  execution: Execution | null,
): Pick<ExecutorSnapshot, 'isPartner' | 'frozen'> {
  const partner = effectRules[effect.type].partner({ approved: effect, requested: effect, executor: wallet });
  const frozen = execution?.status === 'FROZEN' ? execution : null;
  return {
    isPartner: partner === wallet,
    frozen: frozen && { isOwn: frozen.frozenBy === wallet, isPartner: frozen.partner?.wallet === wallet },
  };
}
