import { z } from 'zod';
import { requireOwnWallet } from '../../access/rules.ts';
import { route } from '../../api-context.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { platformSignedText, ResourceId, Timestamp } from '../../platform/http/fields.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { created, ok } from '../../platform/http/route.ts';
import { runOnce, recordOnce } from '../../platform/http/run-once.ts';
import { type Instant, isoText } from '../../platform/units/time.ts';
import { OperationTransaction, presentAnchored } from '../../transactions/routes/response.ts';
import { namedTypes } from '../../types/change-types.ts';
import { createVault, prefetchVaultCreation } from '../create-vault.ts';
import { cancelVault, deleteVault, prefetchDeletion } from '../end-vault.ts';
import { vaultOwnershipAttributes } from '../require-vault.ts';
import {
  eraseAdminEmailRoute,
  replaceAdminEmailRoute,
  changeAllowListRoute,
  changeSettingsRoute,
} from './change-vault.ts';
import { parseVaultParams, requestedTypes } from './parse-vault.ts';
import { reportAllProblems } from './problems.ts';
import { getVaultRoute, listActivityRoute, listVaultsRoute, getMetricsRoute } from './read-vault.ts';
import { exampleVault, CreateVault, vaultRules } from './request.ts';
import { VaultResource } from './resource.ts';
import { presentCreatedVault, VaultCreated, presentChangedVault, vaultLocks } from './response.ts';

const validatedBySchema = route({
  method: 'post',
  path: '/vaults',
  operationId: 'createVault',
  specified: true,
  summary: 'Create a vault',
  description: [
    'Creates a vault and starts its windows. The asset window and the investment window open now, unless you set ' +
      'start times. When both have ended, the vault settles: investors and contributors get tokens, and the vault ' +
      'keeps the assets. If the settlement fails, all deposits are returned.',
    'Requires the permission `vault:CREATE`. With a session, `admin_user.wallet_address` must be the wallet of ' +
      "the session. Without one, you can name any wallet. The admin's wallet does not sign this request, so its " +
      'owner may not know about it. The audit log records who sent it.',
    platformSignedText,
  ].join('\n\n'),
  success: 'The vault and its windows are recorded. The platform submits the transaction that creates the vault.',
  examples: { vault: exampleVault },
  permission: { resource: 'vault', action: 'CREATE' },
  body: CreateVault,
  // Two whitelists of 1,000 addresses are 220 kB.
  bodyLimit: 300_000,
  invalidCode: 'INVALID_VAULT_PARAMS',
  responses: { 201: VaultCreated },
  errors: ['OPERATION_PAUSED', 'FREE_ACTIONS_USED_UP', 'LEDGER_UNAVAILABLE', 'SERVICE_NOT_READY'],
  async handle({ body, caller, correlationId, idempotency }, context) {
    const { networkId, durationBounds: bounds } = context;
    const parseAt = async (now: Instant, db: Db | Transaction) => {
      const types = await namedTypes(db, requestedTypes(body));
      const params = parseVaultParams(body, { now, networkId, bounds, types });
      requireOwnWallet(caller, params.createdBy);
      return params;
    };
    // What is wrong with the request is said before the ledger is asked.
    await parseAt(await context.readingTime(), context.db);
    const prefetch = await prefetchVaultCreation(context);
    return runOnce(context, idempotency, async (transaction) => {
      const params = await parseAt(transaction.now, transaction.tx);
      return created(
        presentCreatedVault(await createVault(transaction, context, { params, caller, correlationId }, prefetch)),
      );
    });
  },
});

const createVaultRoute = reportAllProblems(validatedBySchema);

const cancelVaultRoute = route({
  method: 'post',
  path: '/vaults/:vaultId/cancel',
  operationId: 'cancelVault',
  kind: 'batched change',
  summary: 'Cancel a vault',
  description:
    'You can cancel a vault until its settlement is planned. All deposits are returned. Allowed for the admin of ' +
    'the vault, and with the permission `vault:UPDATE`.',
  success: 'The current vault. The cancellation is anchored, and carried out in the background.',
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

const VaultDeleted = z.object({
  vaultId: z.uuid(),
  deletedAt: Timestamp.describe('Time of the deletion.'),
  transaction: OperationTransaction,
});

const deleteVaultRoute = route({
  method: 'delete',
  path: '/vaults/:vaultId',
  operationId: 'deleteVault',
  kind: 'batched change',
  summary: 'Delete a vault',
  description:
    'Deletes a DRAFT or TERMINATED vault with its assets, proposals, stakes and votes. They return 404 from then ' +
    'on. Transactions, anchored facts with their proofs, events and the audit log remain.\n\n' +
    'The vault must hold and owe nothing: no deposits or stakes, no pending transactions, no open proposals, and ' +
    'no value at its addresses.',
  success: 'The vault is deleted, and the deletion is anchored. Its data is erased in the background.',
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

export const vaultRoutes = [
  createVaultRoute,
  listVaultsRoute,
  getVaultRoute,
  getMetricsRoute,
  listActivityRoute,
  changeSettingsRoute,
  changeAllowListRoute,
  cancelVaultRoute,
  deleteVaultRoute,
  replaceAdminEmailRoute,
  eraseAdminEmailRoute,
];
