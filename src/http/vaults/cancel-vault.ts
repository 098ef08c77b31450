import { z } from 'zod';
import { cancelVault } from '../../services/vaults/cancel-vault.ts';
import { ok } from '../server/route-response.ts';
import { route } from '../server/context.ts';
import { runOnce } from '../server/run-once.ts';
import { Enveloped, enveloped } from '../server/envelope.ts';
import { ResourceId } from '../server/fields.ts';
import { VaultResource } from './resource.ts';
import { presentVault } from './response.ts';

export const cancelVaultRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/cancel',
  operationId: 'cancelVault',
  summary: 'Cancel a vault before its settlement is planned; all deposits are returned',
  description:
    'Needs permission vault:UPDATE, and either the session of the admin or permission wallet:UPDATE. Nobody can ' +
    'cancel a vault whose settlement is planned.',
  success: 'The vault as it is now; the cancellation is carried out in the background',
  permission: { resource: 'vault', action: 'UPDATE' },
  params: z.strictObject({ vaultId: ResourceId }),
  responses: { 200: Enveloped(VaultResource) },
  errors: ['VAULT_NOT_FOUND', 'VAULT_NOT_CANCELLABLE', 'VAULT_ALREADY_ENDED'],
  async handle({ params: { vaultId }, caller, correlationId, idempotency }, context) {
    return runOnce(context, idempotency, async (transaction) => {
      const view = await cancelVault(transaction, { vaultId, caller, correlationId });
      return ok(enveloped(presentVault(view), view.now));
    });
  },
});
