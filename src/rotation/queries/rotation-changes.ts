import type { Rotation } from '../rules/rotation.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { storedCustody } from './stored-custody.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';

export type NewRotation = Pick<
  Rotation,
  'id' | 'vaultId' | 'reason' | 'isUrgent' | 'target' | 'agreements' | 'startsAt'
>;

/** Announces a rotation of a vault that has none. */
export async function insertRotation({ tx, now }: TransactionContext, rotation: NewRotation): Promise<void> {
  await tx
    .insertInto('rotations')
    .values({
      id: rotation.id,
      vault_id: rotation.vaultId,
      reason: rotation.reason,
      is_urgent: rotation.isUrgent,
      target: JSON.stringify(storedCustody(rotation.target)),
      agreements: rotation.agreements && JSON.stringify(rotation.agreements),
      announced_at: new Date(now),
      starts_at: new Date(rotation.startsAt),
    })
    .execute();
  await tx.updateTable('vaults').set({ rotation_id: rotation.id }).where('id', '=', rotation.vaultId).execute();
}

type RotationRef = Pick<Rotation, 'id' | 'vaultId'>;

export async function setRotationBegun({ tx, now }: TransactionContext, { id, vaultId }: RotationRef): Promise<void> {
  await tx
    .updateTable('rotations')
    .set({ begun_at: new Date(now) })
    .where('id', '=', id)
    .execute();
  await tx.updateTable('vaults').set({ is_rotating: true }).where('id', '=', vaultId).execute();
}

/** Gives a vault the key and the custody of a rotation. */
export async function changeCustody(
  { tx, now }: TransactionContext,
  { id, target }: Pick<Rotation, 'id' | 'target'>,
  vault: Vault,
): Promise<void> {
  const { vaultKeyHash, cosigners, contractAddress, formerCustodies } = vault;
  const former = [...formerCustodies, { vaultKeyHash, cosigners, contractAddress }].map(storedCustody);
  const { cosigners: registered } = storedCustody(target);
  await tx
    .updateTable('vaults')
    .set({
      vault_key_hash: target.vaultKeyHash,
      contract_address: target.contractAddress,
      custody: registered && JSON.stringify(registered),
      former_custodies: JSON.stringify(former),
      updated_at: new Date(now),
    })
    .where('id', '=', vault.id)
    .execute();
  await tx
    .updateTable('rotations')
    .set({ changed_at: new Date(now) })
    .where('id', '=', id)
    .execute();
}

export async function setRotationFinished(
  { tx, now }: TransactionContext,
  { id, vaultId }: RotationRef,
): Promise<void> {
  await tx
    .updateTable('rotations')
    .set({ finished_at: new Date(now) })
    .where('id', '=', id)
    .execute();
  await leaveVault(tx, vaultId);
}

export async function setRotationCancelled(
  { tx, now }: TransactionContext,
  { id, vaultId }: RotationRef,
): Promise<void> {
  await tx
    .updateTable('rotations')
    .set({ cancelled_at: new Date(now) })
    .where('id', '=', id)
    .execute();
  await leaveVault(tx, vaultId);
}

/** Lets a finished rotation go on with what has come to a former custody since. */
export async function reopenRotation({ tx }: TransactionContext, { id, vaultId }: RotationRef): Promise<void> {
  await tx.updateTable('rotations').set({ finished_at: null }).where('id', '=', id).execute();
  await tx.updateTable('vaults').set({ rotation_id: id, is_rotating: true }).where('id', '=', vaultId).execute();
}

async function leaveVault(tx: Transaction, vaultId: string): Promise<void> {
  await tx.updateTable('vaults').set({ rotation_id: null, is_rotating: false }).where('id', '=', vaultId).execute();
}
