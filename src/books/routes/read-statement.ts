import { z } from 'zod';
import { readVaultStatement } from '../read-statement.ts';
import { vaultAttributes } from '../../vaults/vault-access.ts';
import { route } from '../../api-context.ts';
import { Enveloped, enveloped } from '../../platform/http/envelope.ts';
import { ResourceId } from '../../platform/http/fields.ts';
import { ok } from '../../platform/http/route-response.ts';
import { keyOf, presentStatement, StatementResource } from './statement-response.ts';

const MAX_MOVEMENTS = 1000;
/** Time of the block, time when it was built, hash, direction, address (src/books/queries/vault-statements.ts). */
const movementKey = /^\d{20}\/\d{20}\/[0-9a-f]*\/(in|out)\/\w+$/;

export const readStatementRoute = route({
  method: 'get',
  path: '/vaults/:vaultId/statement',
  operationId: 'readStatement',
  ofBooks: true,
  summary: 'Read what came to and left the addresses of a vault',
  description:
    'Every movement of a transaction that is on the ledger at present: of the platform, of wallets, what owners took back without ' +
    'the platform, and unsolicited outputs. The opening balance of a page is the closing balance of the one before.',
  success: 'A page of the statement',
  permission: { resource: 'vault', action: 'READ', attributes: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  query: z.strictObject({
    after: z
      .string()
      .max(600)
      .refine((cursor) => movementKey.test(keyOf(cursor)), 'This does not come from a page of this statement')
      .describe('`next` of the page before')
      .optional(),
    limit: z.coerce.number().int().min(1).max(MAX_MOVEMENTS).describe('Number of movements on a page').default(100),
  }),
  responses: { 200: Enveloped(StatementResource) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params: { vaultId }, query: { after, limit }, caller }, api) {
    const part = { vaultId, after: after === undefined ? undefined : keyOf(after), limit };
    const statement = await readVaultStatement({ ...api, db: api.books }, caller, part);
    return ok(enveloped(presentStatement(vaultId, statement), await api.readingTime()));
  },
});
