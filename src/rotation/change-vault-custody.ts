import { custodyAddressOf } from '../cardano/scripts/script-addresses.ts';
import type { Rotation } from './rules/rotation.ts';
import { toCustodyKinds } from './rules/transaction-kinds.ts';
import type { Instant } from '../platform/units/instant.ts';
import type { Transaction } from '../platform/database/database.ts';
import { closeFence } from '../platform/database/fences.ts';
import { headOfProposal, proposalRows } from '../proposals/queries/proposals.ts';
import { changeCustody } from './queries/rotation-changes.ts';
import { countRotations, getRotation } from './queries/rotations.ts';
import { keyIndexesOf } from '../vaults/queries/vault-keys.ts';
import { liveProposalIds } from '../proposals/queries/vault-proposals.ts';
import { isAnySent } from '../transactions/queries/vault-transactions.ts';
import { lockVaultRow, type Vault } from '../vaults/queries/vaults.ts';
import { voidFrozenExecution } from '../proposals/void-frozen-execution.ts';
import { platformEventFields, publish } from '../events/publish.ts';
import { custodyRefusal } from './custody-refusal.ts';
import type { RotationContext } from './prepare-move.ts';

type Context = Pick<RotationContext, 'db' | 'unitOfWork' | 'keys' | 'networkId'>;

/**
 * Voids the executions that wait for signatures, because they spend from the custody of before, and gives the vault its new key and
 * custody once those that were sent are final or can no longer land. Returns whether it has them. Throws Error for a custody that the
 * worker's keys do not lead to, and for cosigners to whom those before have not agreed: whoever wrote it would have the assets.
 */
export async function changeVaultCustody(context: Context, rotation: Rotation, now: Instant): Promise<boolean> {
  const { db, unitOfWork } = context;
  const { id, vaultId, target } = rotation;
  for (const proposalId of await liveProposalIds(db, vaultId))
    await unitOfWork(async (work) => {
      await closeFence(work.tx, `proposal:${proposalId}`);
      const [proposal] = (await proposalRows(work.tx, [proposalId])).map(headOfProposal);
      const voided = { cause: 'custody_changed', note: 'the custody of the vault changes' } as const;
      if (proposal && !proposal.executionSent) await voidFrozenExecution({ ...work, now }, proposal, voided);
    });
  return unitOfWork(async (work) => {
    const change = { ...work, now };
    await closeFence(change.tx, `custody:${vaultId}`);
    const vault = await lockVaultRow(change.tx, vaultId);
    if ((await getRotation(change.tx, id)).changedAt !== null) return true;
    if (await isAnySent(change.tx, vaultId, toCustodyKinds)) return false;
    await requireOwnCustody(context, change.tx, vault, rotation);
    // The one that runs is the last that was announced.
    const rotations = (await countRotations(change.tx, vaultId)) - 1;
    const refusal = custodyRefusal({ ...rotation, from: vault, to: target, rotations }, context.networkId);
    if (refusal !== null) throw new Error(`the custody ${target.contractAddress} of vault ${vaultId} ${refusal}`);
    await changeCustody(change, rotation, vault);
    const data = { rotationId: id, from: vault.contractAddress, to: target.contractAddress };
    const source = { ...platformEventFields(vaultId), transactionHash: null };
    await publish(change, { event: { type: 'CUSTODY_CHANGED', ...source, data } });
    return true;
  });
}

/** Throws for another address than the one of the script of a key that the vault was given, and that the worker derives itself. */
async function requireOwnCustody(
  { keys, networkId }: Context,
  tx: Transaction,
  { id: vaultId }: Pick<Vault, 'id'>,
  { target: custody }: Pick<Rotation, 'target'>,
): Promise<void> {
  const [index] = await keyIndexesOf(tx, vaultId, [custody.vaultKeyHash]);
  const isOwnKey = index !== undefined && keys.vaultKey(index).keyHash === custody.vaultKeyHash;
  const isOfScript = custodyAddressOf(custody, networkId).address === custody.contractAddress;
  if (!isOwnKey || !isOfScript)
    throw new Error(`the custody ${custody.contractAddress} is not one of the keys of vault ${vaultId}`);
}
