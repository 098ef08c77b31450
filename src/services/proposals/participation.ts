import { type Caller, mayActFor, mayActForAnyWallet } from '../../domain/identity/caller.ts';
import { parseWalletAddress } from '../../chain/scripts/address.ts';
import type { NetworkId } from '../../chain/transaction.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { type BaseUnits, baseUnits } from '../../domain/units/money.ts';
import type { ActionCaller, ParticipationSnapshot } from '../../domain/proposal/allowed-actions.ts';
import { startReached } from '../../domain/proposal/thresholds.ts';

import { executionEffects } from '../executions/effects/effects.ts';
import type { Db, Transaction } from '../../store/database.ts';
import { endorsedBy } from '../../store/endorsements.ts';
import type { Execution } from '../../store/executions.ts';
import type { Proposal } from '../../store/proposals.ts';
import { stakesWithPower } from '../../store/vault-stakes.ts';
import { lastVotes } from '../../store/proposal-votes.ts';
import type { Vault } from '../../store/vaults.ts';
import { mayExecute } from '../executions/eligibility.ts';
import { votingPowerIn } from '../../domain/vote/voting-power.ts';

/** Who reads proposals, and as of when. */
export interface ReadContext {
  readonly db: Db | Transaction;
  readonly networkId: NetworkId;
  readonly caller: Caller;
  readonly now: Instant;
}

/** A proposal as far as it is read when the parts in it are asked for. */
export interface ReadProposal {
  readonly proposal: Proposal;
  readonly endorsed: BaseUnits;
  /** The last one. */
  readonly execution: Execution | null;
}

type PartOf = (read: ReadProposal) => ActionCaller;

const none = baseUnits(0n);

/**
 * Finds out, in a handful of statements for all of these proposals of one vault, what part the caller has in each. `staked` is
 * what the wallets have staked there, the caller's among them.
 */
export async function participationsOf(
  { db, networkId, caller }: ReadContext,
  vault: Vault,
  proposals: readonly Proposal[],
  staked: ReadonlyMap<string, BaseUnits>,
): Promise<PartOf> {
  const { wallet } = caller;
  if (wallet === null) return () => (mayActForAnyWallet(caller) ? 'anyone' : 'nobody');
  const proposalIds = proposals.map(({ id }) => id);
  const [stakes, votes, endorsed] = await Promise.all([
    stakesWithPower(db, vault.id, wallet),
    lastVotes(db, { vaultId: vault.id, wallet, proposalIds }),
    endorsedBy(db, wallet, proposalIds),
  ]);
  const power = staked.get(wallet) ?? none;
  const cosigner = { wallet, keyHash: parseWalletAddress(wallet, networkId).paymentKeyHash, power };
  return ({ proposal, endorsed: behind, execution }): ParticipationSnapshot => {
    const { id, proposer, phases, thresholds } = proposal;
    const opens = startReached({ power: behind, supply: vault.terms.ftSupply, threshold: thresholds.start });
    return {
      endorsing: { power, isNew: wallet !== proposer && !endorsed.has(id), opensVoting: opens },
      votingPower: phases === null ? none : votingPowerIn(stakes, phases),
      vote: votes.get(id) ?? null,
      mayCancel: mayActFor(caller, cancellingWallet(caller, proposal, vault)),
      mayExecute: mayExecute(cosigner, { proposal, vault }, partnerFor(wallet, proposal, execution)),
    };
  };
}

/** In whose name the caller ends a proposal: that of the vault's admin or, by whoever else, of its proposer. */
export function cancellingWallet({ wallet }: Caller, { proposer }: Proposal, { createdBy }: Vault): string {
  return wallet === createdBy ? createdBy : proposer;
}

/** Who buys or sells when a wallet executes: as it is frozen, else as the vote has it, which may leave that to the wallet. */
function partnerFor(wallet: string, { effect }: Proposal, execution: Execution | null): string | null {
  if (execution?.status === 'FROZEN') return execution.partner?.wallet ?? null;
  return executionEffects[effect.type].partner({ approved: effect, asked: effect, executor: wallet });
}
