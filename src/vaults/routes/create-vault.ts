import { requireOwnWallet } from '../../access/rules/caller.ts';
import type { Instant } from '../../platform/units/instant.ts';
import { namedTypes } from '../../types/named-types.ts';
import { createVault, prefetchVaultCreation } from '../create-vault.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { created } from '../../platform/http/route-response.ts';
import { route } from '../../api-context.ts';
import { runOnce } from '../../platform/http/run-once.ts';
import { platformSignedText } from '../../platform/http/descriptions.ts';
import { presentCreatedVault, VaultCreated } from './created-response.ts';
import { parseVaultParams, requestedTypes } from './parse-vault-params.ts';
import { reportAllProblems } from './report-all-problems.ts';
import { exampleVault } from './request-example.ts';
import { CreateVault } from './request.ts';

const validatedBySchema = route({
  method: 'post',
  path: '/vaults',
  operationId: 'createVault',
  specified: true,
  summary: 'Create a vault and start its windows',
  description: [
    'The asset window and the investment window open now, unless the request gives other start times. The vault ' +
      'settles when both windows have ended: investors and contributors get tokens, and the vault keeps the assets. ' +
      'If the settlement fails, all deposits are returned. The response lists all problems of the request at once.',
    'Requires the permission `vault:CREATE`. With a session, `admin_user.wallet_address` must be the wallet of the session. ' +
      'Without a session, you can name any wallet. That wallet does not sign this request, so its owner may not know about it. ' +
      'The audit log records the API key that sent it.',
    platformSignedText,
  ].join(' '),
  success: 'The vault and its windows are recorded; the platform submits the transaction that creates the vault',
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

export const createVaultRoute = reportAllProblems(validatedBySchema);
