import { parseWalletAddress } from '../../chain/scripts/address.ts';
import type { NetworkId } from '../../chain/transaction.ts';
import { type Caller, mayActFor } from '../../domain/identity/caller.ts';
import type { ExecutorSnapshot } from '../../domain/execution/executor-refusals.ts';
import { isRefusedPartner } from '../../domain/execution/repeated-execution.ts';
import {
  type ActionCaller,
  actionsForAnyWallet,
  type ParticipationSnapshot,
} from '../../domain/proposal/allowed-actions.ts';
import { startReached } from '../../domain/proposal/thresholds.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { type BaseUnits, baseUnits } from '../../domain/units/money.ts';
import { votingPowerIn } from '../../domain/vote/voting-power.ts';
import type { Db, Transaction } from '../../store/database.ts';
import { endorsedBy } from '../../store/endorsements.ts';
import type { Execution } from '../../store/executions.ts';
import { failedExecutionsWith } from '../../store/proposal-executions.ts';
import { lastVotes } from '../../store/proposal-votes.ts';
import type { Proposal } from '../../store/proposals.ts';
import { stakesWithPower } from '../../store/vault-stakes.ts';

import type { Vault } from '../../store/vaults.ts';

import { effectRules } from '../../domain/execution/effects/rules-by-type.ts';
import { mayExecute } from '../../domain/execution/executor-rules.ts';

/** Who reads proposals, and at which instant. */
export interface ReadContext {
  readonly db: Db | Transaction;
  readonly networkId: NetworkId;
  readonly caller: Caller;
  readonly now: Instant;
}

/** What the caller's participation in a proposal is derived from. */
interface ReadProposal {
  readonly proposal: Proposal;
  /** Base units of the proposer and all endorsers. */
  readonly endorsed: BaseUnits;
  /** The last execution. */
  readonly execution: Execution | null;
}

const none = baseUnits(0n);

/**
 * Reads, with a constant number of statements, how the caller participates in proposals of one vault. `staked` holds the base
 * units that wallets have staked there, including the caller's.
 */
export async function participationsOf(
  { db, networkId, caller }: ReadContext,
  vault: Vault,
  proposals: readonly Proposal[],
  staked: ReadonlyMap<string, BaseUnits>,
): Promise<(read: ReadProposal) => ActionCaller> {
  const { wallet } = caller;
  if (wallet === null) return () => ({ forAnyWallet: actionsForAnyWallet(caller) });
  const proposalIds = proposals.map(({ id }) => id);
  const { paymentKeyHash: keyHash } = parseWalletAddress(wallet, networkId);
  const [stakes, votes, endorsements, failures] = await Promise.all([
    stakesWithPower(db, vault.id, wallet),
    lastVotes(db, { vaultId: vault.id, wallet, proposalIds }),
    endorsedBy(db, wallet, proposalIds),
    failedExecutionsWith(db, proposalIds, keyHash),
  ]);
  const power = staked.get(wallet) ?? none;
  const cosigner = { wallet, keyHash, power };
  return ({ proposal, endorsed, execution }): ParticipationSnapshot => {
    const { id, proposer, phases, thresholds } = proposal;
    const opensVoting = startReached({ power: endorsed, supply: vault.terms.ftSupply, threshold: thresholds.start });
    return {
      endorsing: { power, isNew: wallet !== proposer && !endorsements.has(id), opensVoting },
      votingPower: phases === null ? none : votingPowerIn(stakes, phases),
      vote: votes.get(id) ?? null,
      mayCancel: mayActFor(caller, cancellingWallet(caller, proposal, vault)),
      executing: {
        hasPart: mayExecute(cosigner, { proposal, vault }, null),
        isRefusedPartner: isRefusedPartner(proposal.effect, failures.get(id) ?? 0),
        ...partnership(wallet, proposal, execution),
      },
    };
  };
}

/** The wallet in whose name the caller cancels a proposal: the vault's admin if that is the caller, else the proposer. */
export function cancellingWallet({ wallet }: Caller, { proposer }: Proposal, { createdBy }: Vault): string {
  return wallet === createdBy ? createdBy : proposer;
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
