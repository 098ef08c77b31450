import { z } from 'zod';
import { cancelVault } from '../cancel-vault.ts';
import { vaultOwnershipAttributes } from '../vault-access.ts';
import { ok } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { recordOnce } from '../../platform/http/run-once.ts';
import { Enveloped } from '../../platform/http/envelope.ts';
import { ResourceId } from '../../platform/http/fields.ts';
import { OperationTransaction, presentAnchored } from '../../transactions/routes/response.ts';
import { presentChangedVault } from './change-response.ts';
import { vaultRules } from './record-rules.ts';
import { VaultResource } from './resource.ts';

export const cancelVaultRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/cancel',
  operationId: 'cancelVault',
  recordedTogether: true,
  summary: 'Cancel a vault before its settlement is planned; all deposits are returned',
  description:
    'Allowed for the admin of the vault, and with permission vault:UPDATE. Nobody can cancel a vault whose settlement is planned.',
  success: 'The vault as it is now; the cancellation is anchored, and carried out in the background',
  permission: { resource: 'vault', action: 'UPDATE', attributes: vaultOwnershipAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  responses: { 200: Enveloped(VaultResource.extend({ transaction: OperationTransaction })) },
  errors: ['VAULT_NOT_FOUND', 'VAULT_NOT_CANCELLABLE', 'VAULT_ALREADY_ENDED', 'SERVICE_NOT_READY'],
  async handle({ params: { vaultId }, caller, correlationId, idempotency }, api) {
    const rules = await vaultRules(api, vaultId);
    return recordOnce(api, { idempotency, ...rules }, async (context) => {
      const anchored = await cancelVault(context, { vaultId, caller, correlationId });
      return ok(await presentChangedVault(context, { vaultId, caller }, presentAnchored(anchored)));
    });
  },
});
