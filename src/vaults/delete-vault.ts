import type { AnchoredChange, AnchoringContext } from '../anchoring/anchors.ts';
import { vaultAddresses } from '../cardano/scripts/vault-addresses.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import type { Caller } from '../access/rules/caller.ts';
import { vaultActionRefusal } from './rules/allowed-actions.ts';
import { findDeletionObstacles, markDeleted } from './queries/vault-deletion.ts';
import { vaultTransactions } from '../transactions/queries/vault-transactions.ts';
import type { ServiceContext } from '../context.ts';
import { requestCancellation } from './cancel-vault.ts';
import { lockVaultState, publishVaultChange, type VaultChangeInput } from './change-vault.ts';
import { requireReadableVault } from './vault-access.ts';

/**
 * Whether the ledger holds anything at the vault's own addresses besides its NFT and what closing has left in custody. Throws VAULT_NOT_FOUND and
 * LEDGER_UNAVAILABLE.
 */
export async function prefetchDeletion(
  { db, ledger, networkId }: Pick<ServiceContext, 'db' | 'ledger' | 'networkId'>,
  caller: Caller,
  vaultId: string,
): Promise<boolean> {
  const vault = await requireReadableVault({ db }, caller, vaultId);
  const own = vaultAddresses(vault, { depositors: [], stakeAddresses: [] }, networkId);
  const makers = await vaultTransactions(db, vaultId, ['create_vault', 'close_vault']);
  const hashes = new Set(makers.map(({ hash }) => hash));
  const ofValue = own.map(async ({ kind, address }) => {
    const outputs = await ledger.custodyUtxos(address);
    // What closing has left in the pot is for those who claim late.
    return kind === 'custody' ? outputs.filter(({ txHash }) => !hashes.has(txHash)) : outputs;
  });
  return (await Promise.all(ofValue)).some((outputs) => outputs.length > 0);
}

/**
 * Deletes a vault that is a DRAFT or has ended, and that neither holds nor owes anything (design D39): from now on no reader finds it,
 * and the sweep deletes its rows. A draft is cancelled, so that its workflow ends. Throws VAULT_NOT_FOUND and VAULT_NOT_DELETABLE.
 */
export async function deleteVault(
  context: AnchoringContext,
  input: VaultChangeInput,
  holdsValue: boolean,
): Promise<AnchoredChange> {
  const { tx, now } = context;
  const { vaultId, caller } = input;
  const { vault, snapshot } = await lockVaultState(context, input);
  const { status } = vault;
  const refusal = vaultActionRefusal('delete', snapshot, now);
  if (refusal) throw new ServiceError(refusal, { status });
  const blockedBy = await findDeletionObstacles(tx, vaultId, now);
  if (blockedBy.length === 0 && holdsValue) blockedBy.push('value_on_ledger');
  if (blockedBy.length > 0) throw new ServiceError('VAULT_NOT_DELETABLE', { status, blockedBy });

  if (vault.failedBecause === null && status === 'DRAFT') await requestCancellation(context, vaultId);
  await markDeleted(context, vaultId);
  const acting = { vault, actor: caller.wallet ?? 'platform', onBehalfOf: undefined };
  return publishVaultChange(context, acting, input, {
    action: 'VAULT_DELETED',
    kind: 'vault_deleted',
    data: { status },
  });
}
