import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { type ErrorCode, errorRegistry } from './platform/error-registry.ts';
import { ServiceError } from './platform/errors.ts';
import { anonymous } from './access/rules.ts';
import { routeFor } from './platform/http/route.ts';
import { apiRoutes } from './routes.ts';

/** No field of the request is wrong: who calls, what exists, what time it is, what others did, or the service itself. */
const withoutField: ReadonlySet<string> = new Set<ErrorCode>([
  'API_KEY_REQUIRED', // Its details name the header, as those of the next four do.
  'INVALID_API_KEY',
  'INVALID_SESSION',
  'SESSION_REQUIRED',
  'PRECONDITION_FAILED',
  'INSUFFICIENT_PERMISSIONS',
  'MALFORMED_JSON',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'METHOD_NOT_ALLOWED',
  'ROUTE_NOT_FOUND',
  'VERSION_NOT_SUPPORTED',
  'VERSION_ENDED',
  'RATE_LIMIT_EXCEEDED',
  'FREE_ACTIONS_USED_UP', // Its details name the wallet.

  // What the path names.
  'VAULT_NOT_FOUND',
  'ASSET_NOT_FOUND',
  'INVESTMENT_NOT_FOUND',
  'TRANSACTION_NOT_JUSTIFIED',
  'OPERATOR_BUDGET_SPENT',
  'TRANSACTION_NOT_FOUND',
  'ANCHOR_NOT_FOUND',
  'WALLET_NOT_FOUND',
  'FEATURE_FLAG_NOT_FOUND',
  'TYPE_NOT_FOUND',
  'TYPE_IS_BUILT_IN',
  'API_KEY_NOT_FOUND',
  'SESSION_NOT_FOUND',
  'PROPOSAL_NOT_FOUND',
  'VOTE_NOT_FOUND',
  'STAKE_NOT_FOUND',
  'CLAIM_NOT_FOUND',
  'ROTATION_NOT_FOUND',
  'RECONCILIATION_NOT_FOUND',

  // The state or the time of what the path names.
  'API_KEY_ENDED',
  'API_KEY_ALREADY_ROTATED',
  'INVALID_TRANSITION',
  'OPERATION_PAUSED',
  'VAULT_NOT_CANCELLABLE',
  'VAULT_NOT_DELETABLE',
  'VAULT_ALREADY_ENDED',
  'VAULT_NOT_LOCKED',
  'ROTATION_UNDER_WAY',
  'ROTATION_NOT_CANCELLABLE',
  'CUSTODY_ROTATING',
  'ASSET_WINDOW_NOT_OPEN',
  'ASSET_WINDOW_CLOSED',
  'INVESTMENT_WINDOW_NOT_OPEN',
  'INVESTMENT_WINDOW_CLOSED',
  'MAX_ASSETS_REACHED',
  'ASSET_NOT_LOCKED',
  'ASSET_ALREADY_LEAVING',
  'ASSET_ALREADY_REMOVED',
  'INVESTMENT_NOT_CONFIRMED',
  'INVESTMENT_ALREADY_LEAVING',
  'INVESTMENT_ALREADY_RETURNED',
  'ENDORSING_CLOSED',
  'VOTING_NOT_OPEN',
  'VOTING_CLOSED',
  'VOTE_ALREADY_REVOKED',
  'PROPOSAL_NOT_CANCELLABLE',
  'EXECUTION_NOT_OPEN',
  'EXECUTION_CLOSED',
  'EXECUTION_UNDER_WAY',
  'EXECUTION_NOT_REPLACEABLE',
  'CUSTODY_IN_USE',
  'WALLET_FUNDS_IN_USE',
  'STAKE_NOT_FINAL',
  'STAKE_LOCKED',
  'STAKE_ALREADY_LEAVING',
  'STAKE_ALREADY_RELEASED',
  'CLAIMS_NOT_OPEN',
  'CLAIMS_CLOSED',
  'CLAIMS_AWAIT_SALE',
  'CLAIMS_END_BEFORE_EXECUTION',
  'POT_IN_USE',
  'CLAIM_OUTPUT_TAKEN',
  'TRANSACTION_EXPIRED',
  'TRANSACTION_NOT_AWAITING_SIGNATURES',
  'TRANSACTION_NOT_WITHDRAWABLE',
  'SECURITY_CONSTRAINTS_NOT_MET',
  'TOO_MANY_FEATURE_FLAGS',
  'TOO_MANY_CONNECTIONS',
  'TOO_MANY_SUBSCRIPTIONS',
  'CONSUMER_TOO_SLOW',
  'SERVICE_STOPPING',

  // The service and what it uses.
  'CLOCK_IS_MOVING',
  'CLOCK_CANNOT_MOVE',
  'LEDGER_SWITCH_REFUSED',
  'LEDGER_UNAVAILABLE',
  'LEDGER_HISTORY_CHANGED',
  'SERVICE_NOT_READY',
  'SYSTEM_ERROR',
]);

/** Everywhere it is raised it names its field, so that a route need not. */
const namedWhereRaised: ReadonlySet<string> = new Set<ErrorCode>([
  'INVALID_REQUEST',
  'INVALID_VAULT_PARAMS',
  'IDEMPOTENCY_KEY_REUSED',
  'INVALID_ADDRESS',
  'WRONG_NETWORK',
  'INVALID_CBOR',
  'INVALID_ASSET_NAME',
  'INVALID_QUANTITY',
  'THRESHOLD_BELOW_VAULT',
  'SETTING_NOT_CHANGEABLE',
  'INVESTMENT_TOO_SMALL',
  'UTXO_NOT_ON_LEDGER',
  'COSIGNER_NOT_ELIGIBLE',
  'PARTNER_REFUSED',
  'ACTION_DIFFERS_FROM_APPROVED',
  'FROZEN_FOR_ANOTHER_ACTION',
  'ASSET_NOT_IN_VAULT',
  'ONLY_SALES_WHILE_ENDING',
  'ASSET_IN_ANOTHER_PROPOSAL',
  'UNSOLICITED_OUTPUT_NOT_FOUND',
  'UNSOLICITED_OUTPUT_GONE',
  'UNSOLICITED_OUTPUT_LEAVING',
  'UNSOLICITED_OUTPUT_OF_OWNER',
  'UNSOLICITED_OUTPUT_NEEDS_OTHERS',
]);

const routes = [...apiRoutes.api, ...apiRoutes.open];

test('every error that a route with a body documents names its field, if one is wrong', () => {
  const unnamed = routes
    .filter(({ body }) => body !== null)
    .flatMap(({ operationId, errors, errorFields = {} }) =>
      errors
        .filter((code) => !withoutField.has(code) && !namedWhereRaised.has(code) && errorFields[code] === undefined)
        .map((code) => `${operationId} ${code}`),
    );
  expect(unnamed).toEqual([]);
});

test('every registered code is either without a field or named where it is raised or by its routes', () => {
  const byRoutes = new Set(routes.flatMap(({ errorFields = {} }) => Object.keys(errorFields)));
  const places = (code: string) => [withoutField, namedWhereRaised, byRoutes].filter((codes) => codes.has(code)).length;
  expect(Object.keys(errorRegistry).filter((code) => places(code) !== 1)).toEqual([]);
});

test('the fields that routes name are in their request bodies', () => {
  const named = routes.flatMap(({ operationId, body, errorFields = {} }) =>
    Object.values(errorFields).map((field) => ({ operationId, field, known: body !== null && hasField(body, field) })),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(({ known }) => !known)).toEqual([]);
});

test.each([...namedWhereRaised])('%s is never raised without its field', (code) => {
  const raised = new RegExp(`new ServiceError\\(\\s*'${code}'[^;]*;`, 'g');
  const places = sources.flatMap((text) => [...text.matchAll(raised)].map(({ index }) => statementAt(text, index)));
  expect(places.filter((statement) => !/errors|atField/.test(statement))).toEqual([]);
});

test('a route names the field of an error that names none, and leaves the others as they are', async () => {
  const respond = async (error: Error) => {
    const failing = routeFor<null>()({
      method: 'post',
      path: '/votes',
      operationId: 'vote',
      summary: 'Vote',
      permission: { unrestricted: 'a test' },
      responses: { 204: null },
      errors: ['VOTE_NONCE_USED'],
      errorFields: { VOTE_NONCE_USED: 'nonce' },
      handle: () => Promise.reject(error),
    });
    const scope = { caller: anonymous } as Parameters<typeof failing.respond>[1];
    return failing.respond({ params: {}, query: {}, body: {} }, scope, null);
  };
  const problem = { code: 'VOTE_NONCE_USED', message: errorRegistry.VOTE_NONCE_USED.message, field: 'nonce' };
  await expect(respond(new ServiceError('VOTE_NONCE_USED', { voteId: '1' }))).rejects.toMatchObject({
    details: { voteId: '1', errors: [problem] },
  });
  const named = new ServiceError('VOTE_NONCE_USED', { errors: [{ ...problem, field: 'votes.3.nonce' }] });
  await expect(respond(named)).rejects.toBe(named);
  const other = new ServiceError('VOTING_CLOSED');
  await expect(respond(other)).rejects.toBe(other);
});

function hasField(schema: z.ZodType, field: string): boolean {
  let at: z.core.JSONSchema._JSONSchema = z.toJSONSchema(schema, { io: 'input', metadata: z.registry() });
  for (const name of field.split('.')) at = (typeof at === 'object' && at.properties?.[name]) || false;
  return at !== false;
}

const folder = fileURLToPath(new URL('./', import.meta.url));
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(folder, file), 'utf8'));

/** The statement around this place: back to the end of the one before, forward to its own end. */
function statementAt(text: string, index: number): string {
  const from = Math.max(text.lastIndexOf(';', index), text.lastIndexOf('{\n', index));
  return text.slice(from, text.indexOf(';', index));
}
