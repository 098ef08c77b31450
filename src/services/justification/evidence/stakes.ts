import { requireJust } from '../../../justification/judged.ts';
import type { ChainTransaction } from '../../../store/chain-transactions.ts';
import { findStakeOfTransaction, type Stake } from '../../../store/stakes.ts';
import { keyOfStake } from '../../stakes/key-of-stake.ts';
import type { EvidenceContext, Gather } from './evidence-context.ts';
import { gatherSettledVault, gatherVault } from './vault-evidence.ts';

export const gatherStake: Gather<'stake'> = async (context, recorded) => {
  const settled = await gatherSettledVault(context, recorded);
  const { releaseSlot, amount } = await findStake(context, recorded, 'stake_transaction_id');
  const { vault, ftUnit } = settled;
  return { vault, ftUnit, stakeKeyHash: vault.vaultKeyHash, releaseSlot, amount };
};

export const gatherUnstake: Gather<'unstake'> = async (context, recorded) => {
  const { row, vault } = await gatherVault(context, recorded);
  const stake = await findStake(context, recorded, 'unstake_transaction_id');
  // The worker signs with keys of the vault alone; the script says with which.
  return { vault, stakeKeyHash: keyOfStake(stake, row, context.networkId), releaseSlot: stake.releaseSlot };
};

async function findStake(
  { db }: EvidenceContext,
  { id, vaultId }: ChainTransaction,
  column: 'stake_transaction_id' | 'unstake_transaction_id',
): Promise<Stake> {
  const stake = await findStakeOfTransaction(db, column, id);
  requireJust(stake !== null && stake.vaultId === vaultId, 'no stake of its vault is recorded with it');
  return stake;
}
