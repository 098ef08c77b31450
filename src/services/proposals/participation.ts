import { parseWalletAddress } from '../../chain/scripts/address.ts';
import type { NetworkId } from '../../chain/transaction.ts';
import { type Caller, mayActFor, mayActForAnyWallet } from '../../domain/identity/caller.ts';
import type { ActionCaller, ParticipationSnapshot } from '../../domain/proposal/allowed-actions.ts';
import { startReached } from '../../domain/proposal/thresholds.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { type BaseUnits, baseUnits } from '../../domain/units/money.ts';
import { votingPowerIn } from '../../domain/vote/voting-power.ts';
import type { Db, Transaction } from '../../store/database.ts';
import { endorsedBy } from '../../store/endorsements.ts';
import type { Execution } from '../../store/executions.ts';
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
  if (wallet === null) return () => (mayActForAnyWallet(caller) ? 'anyone' : 'nobody');
  const proposalIds = proposals.map(({ id }) => id);
  const [stakes, votes, endorsements] = await Promise.all([
    stakesWithPower(db, vault.id, wallet),
    lastVotes(db, { vaultId: vault.id, wallet, proposalIds }),
    endorsedBy(db, wallet, proposalIds),
  ]);
  const power = staked.get(wallet) ?? none;
  const cosigner = { wallet, keyHash: parseWalletAddress(wallet, networkId).paymentKeyHash, power };
  return ({ proposal, endorsed, execution }): ParticipationSnapshot => {
    const { id, proposer, phases, thresholds } = proposal;
    const opensVoting = startReached({ power: endorsed, supply: vault.terms.ftSupply, threshold: thresholds.start });
    return {
      endorsing: { power, isNew: wallet !== proposer && !endorsements.has(id), opensVoting },
      votingPower: phases === null ? none : votingPowerIn(stakes, phases),
      vote: votes.get(id) ?? null,
      mayCancel: mayActFor(caller, cancellingWallet(caller, proposal, vault)),
      mayExecute: mayExecute(cosigner, { proposal, vault }, partnerFor(wallet, proposal, execution)),
    };
  };
}

/** The wallet in whose name the caller cancels a proposal: the vault's admin if that is the caller, else the proposer. */
export function cancellingWallet({ wallet }: Caller, { proposer }: Proposal, { createdBy }: Vault): string {
  return wallet === createdBy ? createdBy : proposer;
}

/** The buyer, seller or holder if `wallet` executes: as frozen, else as approved; the vote may leave it to the executor. */
function partnerFor(wallet: string, { effect }: Proposal, execution: Execution | null): string | null {
  if (execution?.status === 'FROZEN') return execution.partner?.wallet ?? null;
  return effectRules[effect.type].partner({ approved: effect, requested: effect, executor: wallet });
}
