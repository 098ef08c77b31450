import { requireJust } from '../judged.ts';
import { findStakeOfTransaction } from '../../staking/queries/stakes.ts';
import type { Gather } from './evidence-context.ts';
import { gatherVault } from './vault-evidence.ts';

export const gatherUnstake: Gather<'unstake'> = async (context, recorded) => {
  const { vault } = await gatherVault(context, recorded);
  const stake = await findStakeOfTransaction(context.db, 'unstake_transaction_id', recorded.id);
  requireJust(stake !== null && stake.vaultId === recorded.vaultId, 'no stake of its vault is recorded with it');
  // The worker signs with keys of the vault alone; the script says with which.
  return { vault, stakeKeyHash: stake.vaultKeyHash, releaseSlot: stake.releaseSlot };
};
