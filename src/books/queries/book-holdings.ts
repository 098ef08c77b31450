import type { BookHolding, VaultBooks } from '../rules/books.ts';
import type { Transaction } from '../../platform/database/database.ts';

/** The assets that are in a vault. */
export async function bookAssets(tx: Transaction, vaultId: string): Promise<VaultBooks['assets']> {
  const rows = await tx
    .selectFrom('assets')
    .select(['id', 'policy_id', 'asset_name', 'quantity', 'status', 'staking_address'])
    .where('vault_id', '=', vaultId)
    .where('status', '=', 'LOCKED')
    .execute();
  return rows.map(({ id, policy_id: policyId, asset_name: name, quantity, status, staking_address: at }) => {
    return { id, unit: policyId + name, quantity: BigInt(quantity), status, isStaked: at !== null };
  });
}

/** Every investment in a vault. */
export async function bookInvestments(tx: Transaction, vaultId: string): Promise<VaultBooks['investments']> {
  const rows = await tx
    .selectFrom('investments')
    .innerJoin('chain_transactions as brought', 'brought.id', 'investments.transaction_id')
    .select(['investments.id', 'investments.status', 'investments.lovelace', 'delivery_deposit as extra', 'hash'])
    .where('investments.vault_id', '=', vaultId)
    .execute();
  return rows.map(({ extra, lovelace, ...row }) => holding({ ...row, amount: BigInt(lovelace) + BigInt(extra) }));
}

/** Every stake of a vault. */
export async function bookStakes(tx: Transaction, vaultId: string): Promise<VaultBooks['stakes']> {
  const rows = await tx
    .selectFrom('stakes')
    .innerJoin('chain_transactions as brought', 'brought.id', 'stakes.stake_transaction_id')
    .select(['stakes.id', 'stakes.status', 'stakes.amount', 'hash'])
    .where('stakes.vault_id', '=', vaultId)
    .execute();
  return rows.map(({ amount, ...row }) => holding({ ...row, amount: BigInt(amount) }));
}

function holding<Status extends string>(row: {
  readonly id: string;
  readonly status: Status;
  readonly hash: string;
  readonly amount: bigint;
}): BookHolding<Status> {
  const { hash: txHash, ...rest } = row;
  return { ...rest, output: { txHash, index: 0 } };
}

/** Every claim on a vault. */
export async function bookClaims(tx: Transaction, vaultId: string): Promise<VaultBooks['claims']> {
  const rows = await tx
    .selectFrom('claims')
    .innerJoin('chain_transactions as paid', 'paid.id', 'claims.claim_transaction_id')
    .select(['claims.id', 'claims.status', 'hash'])
    .where('claims.vault_id', '=', vaultId)
    .execute();
  return rows.map(({ id, status, hash }) => ({ id, isPaid: status === 'PAID', transactionHash: hash }));
}
