import { z } from 'zod';
import { changeAdminEmail } from '../change-admin-email.ts';
import { vaultOwnershipAttributes } from '../vault-access.ts';
import { route } from '../../api-context.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { ResourceId } from '../../platform/http/fields.ts';
import { noContent, ok } from '../../platform/http/route-response.ts';
import { runOnce } from '../../platform/http/run-once.ts';
import { AdminEmail } from './request.ts';

const permission = { resource: 'vault', action: 'UPDATE', attributes: vaultOwnershipAttributes } as const;
const params = z.strictObject({ vaultId: ResourceId });

export const replaceAdminEmailRoute = route({
  method: 'put',
  path: '/vaults/:vaultId/admin-email',
  operationId: 'replaceAdminEmail',
  summary: "Change the email address of a vault's admin",
  description:
    'Allowed for the admin of the vault, and with permission vault:UPDATE. The address is stored encrypted. It is on no ledger and in ' +
    'no log, so this returns no transaction.',
  success: 'The address is stored; it is not repeated here',
  permission,
  params,
  examples: { address: { email: 'admin@harbour.example' } },
  body: z.strictObject({ email: AdminEmail }).meta({ id: 'ReplaceAdminEmail' }),
  responses: { 200: Enveloped(z.object({ vaultId: z.uuid() })) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, body: { email }, caller, idempotency }, context) {
    return runOnce(context, idempotency, async (transaction) => {
      await changeAdminEmail(transaction, context, { vaultId, email, caller });
      // An idempotency record keeps this response, so the address is not in it.
      return ok(enveloped({ vaultId }, transaction.now));
    });
  },
});

export const eraseAdminEmailRoute = route({
  method: 'delete',
  path: '/vaults/:vaultId/admin-email',
  operationId: 'eraseAdminEmail',
  summary: "Erase the email address of a vault's admin",
  description:
    'Allowed for the admin of the vault, and with permission vault:UPDATE. Erasing an address that is not there changes nothing.',
  success: 'The service no longer has the address',
  permission,
  params,
  responses: { 204: null },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, caller, idempotency }, context) {
    return runOnce(context, idempotency, async (transaction) => {
      await changeAdminEmail(transaction, context, { vaultId, email: null, caller });
      return noContent();
    });
  },
});
