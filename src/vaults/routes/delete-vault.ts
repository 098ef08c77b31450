import { z } from 'zod';
import { isoText } from '../../platform/units/instant.ts';
import { deleteVault, prefetchDeletion } from '../delete-vault.ts';
import { route } from '../../api-context.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { ResourceId, Timestamp } from '../../platform/http/fields.ts';
import { ok } from '../../platform/http/route-response.ts';
import { recordOnce } from '../../platform/http/run-once.ts';
import { OperationTransaction, presentAnchored } from '../../transactions/routes/response.ts';
import { vaultLocks } from './change-response.ts';

const VaultDeleted = z.object({
  vaultId: z.uuid(),
  deletedAt: Timestamp.describe('When it was deleted'),
  transaction: OperationTransaction,
});

export const deleteVaultRoute = route({
  method: 'delete',
  path: '/vaults/:vaultId',
  operationId: 'deleteVault',
  recordedTogether: true,
  summary: 'Delete a vault that is a DRAFT or TERMINATED, with its assets, proposals, stakes and votes',
  description:
    'From then on the vault and everything in it return 404. It is refused while the vault holds or owes anything: a deposit or a stake, ' +
    'a transaction that can still land, a proposal that has not ended, or value at an address of the vault. Transactions, anchored ' +
    'facts with their proofs, events and the audit log stay.',
  success: 'The vault is deleted, and the deletion is anchored; what belonged to it is erased in the background',
  permission: { resource: 'vault', action: 'DELETE' },
  params: z.strictObject({ vaultId: ResourceId }),
  responses: { 200: Enveloped(VaultDeleted) },
  errors: ['VAULT_NOT_FOUND', 'VAULT_NOT_DELETABLE', 'LEDGER_UNAVAILABLE', 'SERVICE_NOT_READY'],
  async handle({ params: { vaultId }, caller, correlationId, idempotency }, api) {
    const holdsValue = await prefetchDeletion(api, caller, vaultId);
    return recordOnce(api, { idempotency, locks: vaultLocks(vaultId) }, async (context) => {
      const anchored = await deleteVault(context, { vaultId, caller, correlationId }, holdsValue);
      const transaction = presentAnchored(anchored);
      return ok(enveloped({ vaultId, deletedAt: isoText(context.now), transaction }, context.now));
    });
  },
});
