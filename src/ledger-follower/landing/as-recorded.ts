import type { Unit } from '../../cardano/transaction.ts';
import { hasEnded } from '../../transactions/rules/transaction-state.ts';
import { requireJust } from '../../signing-policy/judged.ts';
import { type LandingCheck, landingChecks } from '../../signing-policy/landing-checks.ts';
import { requireDeposited, requireSpent, requireStaked } from '../../signing-policy/landed.ts';
import { lockAssetsAddedBy } from '../../assets/queries/assets.ts';
import { findInvestmentOfTransaction } from '../../investments/queries/investments.ts';
import { findStakeOfTransaction } from '../../staking/queries/stakes.ts';
import { takenOutputs } from '../../transactions/queries/taken-outputs.ts';
import { isVaultErased } from '../../vaults/queries/vault-deletion.ts';
import { getVault, type Vault } from '../../vaults/queries/vaults.ts';
import { type Landed, type LandingContext, requireKeyOfOperator, requireKeyOfVault } from './required-signatures.ts';

type Check = (context: LandingContext, landed: Landed) => Promise<void>;

const checks: Record<LandingCheck, Check> = {
  stake: requireStake,
  investment: requireInvestment,
  assets: requireAssets,
  returned: requireReturned,
  'key of vault': requireKeyOfVault,
  'key of operator': requireKeyOfOperator,
};

/**
 * Throws TRANSACTION_NOT_JUSTIFIED unless a transaction that has landed does what its row says: whoever runs code in the api can record that
 * of somebody else, with its own bytes. What brings something is compared with its row, and what returns something has to spend that. What a
 * key of the platform has to sign was judged by its row before (design D44): here it needs that signature. Throws UnreadableRow while
 * nobody knows who has signed it.
 */
export async function requireAsRecorded(context: LandingContext, landed: Landed): Promise<void> {
  const { kind, vaultId } = landed.recorded;
  const check = landingChecks[kind];
  // Nothing counts in a vault that was erased, and there is nothing left to compare with.
  const isErased = check !== null && vaultId !== null && (await isVaultErased(context.tx, vaultId));
  if (check !== null && !isErased) await checks[check](context, landed);
}

async function requireStake({ tx, networkId }: LandingContext, { recorded, transaction }: Landed): Promise<void> {
  const stake = await findStakeOfTransaction(tx, 'stake_transaction_id', recorded.id);
  requireJust(stake !== null, 'it brings no stake');
  const vault = await getVault(tx, stake.vaultId);
  const isOfVault = [vault, ...vault.formerCustodies].some(({ vaultKeyHash }) => vaultKeyHash === stake.vaultKeyHash);
  requireJust(isOfVault && vault.ftUnit !== null, 'its stake is guarded by no key of its vault');
  requireStaked(transaction, { ...stake, ftUnit: vault.ftUnit }, networkId);
}

async function requireInvestment({ tx, networkId }: LandingContext, { recorded, transaction }: Landed): Promise<void> {
  const investment = await findInvestmentOfTransaction(tx, recorded.id);
  requireJust(investment !== null, 'it brings no investment');
  const { vaultId, wallet, lovelace, deliveryDeposit } = investment;
  const held = { index: 0, lovelace: lovelace + deliveryDeposit, assets: new Map<Unit, bigint>() };
  requireDeposited(transaction, { vault: await getVault(tx, vaultId), wallet, ...held }, networkId);
}

async function requireAssets({ tx, networkId }: LandingContext, { recorded, transaction }: Landed): Promise<void> {
  const assets = await lockAssetsAddedBy(tx, recorded.id);
  requireJust(assets.length > 0, 'it brings no asset');
  let vault: Vault | undefined;
  for (const { vaultId, owner: wallet, depositIndex: index, quantity, policyId, assetName } of assets) {
    if (vault?.id !== vaultId) vault = await getVault(tx, vaultId);
    const held = new Map([[policyId + assetName, quantity]]);
    requireDeposited(transaction, { vault, wallet, index, assets: held }, networkId);
  }
}

/** One that had ended is linked to what it spends when it lands after all. */
async function requireReturned({ tx }: LandingContext, { recorded, transaction }: Landed): Promise<void> {
  const taken = await takenOutputs(tx, recorded);
  requireJust(taken.length > 0 || hasEnded(recorded.state), 'it returns nothing');
  requireSpent(transaction, taken);
}
