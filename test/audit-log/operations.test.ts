import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { parseApiKey } from '../../src/access/api-keys.ts';
import { apiRoutes } from '../../src/routes.ts';
import { acceptsIdempotencyKey } from '../../src/platform/http/route-kinds.ts';
import { createPassedProposal, createSignedPurchase, vaultWithCustody } from '../governance/vault-with-custody.ts';
import { apiService, newWallet } from '../vaults/api-service.ts';
import { accessRequests, operatorRequests } from './access-requests.ts';
import { type Audited, auditedOperations } from './audited-operations.ts';
import { scansOf } from '../store/plan-scans.ts';
import { recordStatements } from '../store/recorded-statements.ts';
import { governanceRequests } from './governance-requests.ts';
import type { Prepare, PreparedRequest, World } from './prepared-request.ts';
import { vaultRequests } from './vault-requests.ts';

interface Row {
  readonly id: string;
  readonly action: string;
  readonly actor_type: string;
  readonly actor_id: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

let world: World;
let recorded: ReturnType<typeof recordStatements>;
beforeAll(async () => {
  recorded = recordStatements();
  const service = await apiService();
  world = { service, governed: await vaultWithCustody(service) };
});
afterAll(async () => {
  recorded[Symbol.dispose]();
  await world.service[Symbol.asyncDispose]();
});
// A paused area would refuse the operations that follow.
afterEach(() => world.service.sql.query('delete from pauses'));

const requests: Readonly<Record<string, Prepare>> = {
  ...vaultRequests,
  ...governanceRequests,
  ...accessRequests,
  ...operatorRequests,
};
const routes = new Map(
  apiRoutes.api.filter(({ method }) => method !== 'get').map((route) => [route.operationId, route]),
);
const changing = [...routes.keys()];

const send = ({ method, path, body, as }: PreparedRequest) => {
  const headers = { ...as?.headers, 'idempotency-key': path };
  return world.service.api[method](path, body, { ...as, headers });
};

/** Sends a request; returns its response and the entries that it has added to the audit log. */
async function entriesOf(request: PreparedRequest) {
  const read = async () => await world.service.sql.run<Row>`select * from audit_log order by id`;
  const before = new Set((await read()).map(({ id }) => id));
  const { status, body } = await send(request);
  return { status, body, rows: (await read()).filter(({ id }) => !before.has(id)) };
}

test('every operation but the reads is in the table of what it writes into the audit log', () => {
  expect(Object.keys(auditedOperations).toSorted()).toEqual(changing.toSorted());
  expect(Object.keys(requests).toSorted()).toEqual(changing.toSorted());
});

test.each(changing)(
  '%s writes its entry once, with actor and resource and without personal data, and the repeated request gets the same response',
  async (operationId) => {
    const request = await requests[operationId]!(world);
    const { status, body, rows } = await entriesOf(request);
    expect({ status, body: status < 300 || body }).toEqual({ status, body: true });

    expect(rows).toEqual(expectedRows(auditedOperations[operationId]!));
    expect(rows.filter((row) => !JSON.stringify([request, body]).includes(row.resource_id))).toEqual([]);
    expect(JSON.stringify(rows)).not.toMatch(/@|vts_|127\.0\.0\.1/);
    // A response with a secret is not kept, so what makes one makes another.
    if (!acceptsIdempotencyKey(routes.get(operationId)!)) return;
    const repeated = await entriesOf(request);
    expect(repeated.rows).toEqual([]);
    // A batch reads again, and a session that has ended sends nothing again.
    const isOther = ['sendBatch', 'endSession', 'endCurrentSession'].includes(operationId);
    expect(isOther || repeated).toEqual(isOther || { status, body, rows: [] });
  },
);

function expectedRows(audited: Audited): unknown[] {
  if ('none' in audited) return [];
  const wallet: unknown = expect.stringMatching(/^addr_test1/);
  const key = { actor_type: 'API_KEY', actor_id: parseApiKey(world.service.adminKey)?.id };
  const actor = audited.actor === 'wallet' ? { actor_type: 'WALLET', actor_id: wallet } : key;
  const names = audited.actor === 'keyForWallet' ? expect : expect.not;
  const metadata: unknown = names.objectContaining({ onBehalfOf: wallet });
  return [expect.objectContaining({ action: audited.action, resource_type: audited.resource, ...actor, metadata })];
}

test('the key of the configuration is recorded once, as created by the service', async () => {
  const { service } = world;
  await service.secondApi();
  const rows = await service.sql.run<Row>`select * from audit_log where actor_type = 'SYSTEM'`;
  const { adminKey } = service;
  expect(rows).toMatchObject([
    {
      action: 'API_KEY_CREATED',
      actor_type: 'SYSTEM',
      actor_id: 'bootstrap',
      resource_type: 'apiKey',
      resource_id: parseApiKey(adminKey)?.id,
      metadata: { name: 'bootstrap admin', roles: ['ADMIN'] },
    },
  ]);
  expect(JSON.stringify(rows)).not.toContain(parseApiKey(adminKey)?.secret);
});

test('a signature is recorded with the wallets that gave it, in the audit log and as an event', async () => {
  const { service, governed } = world;
  const seller = newWallet();
  const { hash } = await createSignedPurchase(service, governed, seller);
  const rows = await service.sql.run<{ wallets: string[]; keys: string[]; actor: string }>`
      select metadata -> 'wallets' as wallets, metadata -> 'keyHashes' as keys from audit_log
      where action = 'TRANSACTION_SIGNED' and resource_id = ${hash} order by id`;
  const events = await service.sql.run<{ actor: string }>`select actor from outbox
      where type = 'TRANSACTION_SIGNED' and transaction_hash = ${hash} order by id`;
  const signers = [governed.big, governed.middle, seller];
  expect(rows).toEqual(signers.map(({ address, keyHash }) => ({ wallets: [address], keys: [keyHash] })));
  expect(events).toEqual(signers.map(({ address }) => ({ actor: address })));
});

test('an execution that is refused because it was only frozen now is recorded as frozen, and the same request not again', async () => {
  const { service, governed } = world;
  const id = await createPassedProposal(service, governed, { action_type: 'liquidate' }, 1);
  const { big, middle } = governed;
  const body = { executing_user: big.address, cosigners: [middle.address], action: { type: 'liquidate', details: {} } };
  const request: PreparedRequest = { method: 'post', path: `/proposals/${id}/execute`, body };
  expect(await entriesOf(request)).toMatchObject({
    status: 403,
    rows: [{ action: 'EXECUTION_FROZEN', resource_id: id }],
  });
  expect(await entriesOf(request)).toMatchObject({ status: 403, rows: [] });
});

test('no statement of an operation scans a growing table', async () => {
  expect(await scansOf(world.service.sql, recorded.ofRequests())).toEqual([]);
});
