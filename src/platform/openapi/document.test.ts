import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { errorRegistry, developmentErrors } from '../error-registry.ts';
import { permissionsOf, walletRoles } from '../../access/rules.ts';
import { noContent, ok, routeFor } from '../http/route.ts';
import { openApiDocument } from './document.ts';

const route = routeFor<unknown>();
const Vault = z.object({ vault_id: z.string(), created_at: z.iso.datetime() }).meta({ id: 'Vault' });

const replaceVault = route({
  method: 'put',
  path: '/vaults/:vaultId',
  operationId: 'replaceVault',
  summary: 'Replace a vault',
  permission: { resource: 'vault', action: 'UPDATE' },
  params: z.strictObject({ vaultId: z.uuid() }),
  query: z.strictObject({ page: z.coerce.number().int().max(9).default(1) }),
  body: Vault,
  responses: { 200: Vault },
  errors: ['VAULT_NOT_FOUND'],
  invalidCode: 'INVALID_VAULT_PARAMS',
  handle: ({ body }) => Promise.resolve(ok(body)),
});
const live = route({
  method: 'get',
  path: '/live',
  operationId: 'live',
  summary: 'Live',
  permission: { unrestricted: 'Probes have no key' },
  responses: { 204: null },
  errors: [],
  kind: 'liveness probe',
  handle: () => Promise.resolve(noContent()),
});
const document = openApiDocument({ api: [replaceVault], dev: [], open: [live] }, '1.2.3');
const put = document.paths?.['/api/v1/vaults/{vaultId}']?.put;

test('an operation is published with its parameters, body and responses', () => {
  expect(document.openapi).toBe('3.1.0');
  expect(put).toMatchObject({ operationId: 'replaceVault', security: [{ apiKey: [] }, { apiKey: [], session: [] }] });
  const names = put?.parameters?.map((parameter) => ('name' in parameter ? `${parameter.in} ${parameter.name}` : ''));
  expect(names).toEqual(['path vaultId', 'query page', 'header X-Correlation-Id', 'header Idempotency-Key']);
  expect(put).toHaveProperty('requestBody.content.application/json.schema.$ref', '#/components/schemas/Vault');
  expect(put?.responses?.['200']).toHaveProperty(
    ['content', 'application/json', 'schema', '$ref'],
    '#/components/schemas/Vault',
  );
});

test('a schema of requests and responses is one component', () => {
  expect(Object.keys(document.components?.schemas ?? {}).toSorted()).toEqual([
    'Error',
    'ErrorCode',
    'FieldProblem',
    'Problem',
    'Vault',
  ]);
  expect(document.components?.schemas?.['Vault']).toEqual({
    type: 'object',
    properties: { vault_id: { type: 'string' }, created_at: { type: 'string', format: 'date-time' } },
    required: ['vault_id', 'created_at'],
  });
});

test('an operation lists every error code, also those of the middleware before it', () => {
  const codes = (status: number) => (put?.responses?.[status] as { 'x-codes': string[] } | undefined)?.['x-codes'];
  expect(codes(400)).toEqual(['INVALID_VAULT_PARAMS', 'MALFORMED_JSON', 'INVALID_REQUEST']);
  expect(codes(401)).toEqual(['API_KEY_REQUIRED', 'INVALID_API_KEY', 'INVALID_SESSION']);
  expect(codes(403)).toEqual(['INSUFFICIENT_PERMISSIONS']);
  expect(codes(404)).toEqual(['VAULT_NOT_FOUND']);
  expect(codes(422)).toEqual(['IDEMPOTENCY_KEY_REUSED']);
  expect(codes(429)).toEqual(['RATE_LIMIT_EXCEEDED']);
  expect(Object.keys(document.paths?.['/live']?.get?.responses ?? {})).toEqual(['204', '400', '500']);
});

test('the document lists all registered errors', () => {
  const ofService = Object.entries(errorRegistry).filter(([code]) => !(code in developmentErrors));
  expect(document).toMatchObject({ 'x-error-codes': Object.fromEntries(ofService) });
});

test('every error that names a time to wait has a status with which Retry-After is published', () => {
  const waits = Object.entries(errorRegistry).filter(([, { details = {} }]) => 'retryAfterSeconds' in details);
  const statuses = waits.map(([code, { status }]) => [code, status]);
  expect(Object.fromEntries(statuses)).toEqual({
    RATE_LIMIT_EXCEEDED: 429,
    FREE_ACTIONS_USED_UP: 429,
    TOO_MANY_CONNECTIONS: 429,
    SERVICE_NOT_READY: 503,
  });
});

test('the document lists the permissions of a session', () => {
  expect(document).toMatchObject({ 'x-session-permissions': permissionsOf(walletRoles) });
});

test('the document is plain JSON', () => {
  expect(JSON.parse(JSON.stringify(document))).toEqual(document);
});
