import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { wallClock } from '../../src/platform/units/time.ts';
import { apiService, type ApiService } from '../vaults/api-service.ts';
import { until } from '../stack/until.ts';
import { formatApiKey, hashSecret, parseApiKey } from '../../src/access/api-keys.ts';
import { insertApiKey } from '../../src/access/queries/api-keys.ts';
import { errorResponse } from '../stack/error-response.ts';

let service: ApiService;
let visitor: string;
beforeAll(async () => {
  service = await apiService();
  visitor = await keyWithoutRoles();
});
afterAll(async () => service[Symbol.asyncDispose]());

async function keyWithoutRoles(): Promise<string> {
  const text = formatApiKey({ environment: 'test', id: randomBytes(16).toString('hex'), secret: randomBytes(32) });
  const { id, environment, secret } = parseApiKey(text)!;
  const createdAt = new Date(wallClock.now());
  const stored = { id, environment, name: 'visitor', secretHash: hashSecret(secret), roles: [], createdBy: 'test' };
  await insertApiKey(service.db, { ...stored, createdAt });
  return text;
}

test('the versions and the policy can be read with any key', async () => {
  const { status, body } = await service.api.get('/versions', { key: visitor });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    data: {
      versions: [{ version: 'v1.0.0', status: 'stable', deprecationStatus: 'active', sunsetAt: null }],
      policy: { noticeDays: 180, supportDays: 365, maxSupported: 2 },
    },
  });
});

interface Usage {
  data: { versions: { requests: number; uniqueClients: number; errorRate: number; avgResponseTime: number | null }[] };
}

test('the usage of two processes is added up, with clients, errors and times; only an ADMIN reads it', async () => {
  const other = await service.secondApi();
  await Promise.all(Array.from({ length: 20 }, () => service.api.get('/versions', { key: visitor })));
  await Promise.all(Array.from({ length: 20 }, () => other.get('/versions')));
  await service.api.get('/nowhere', { key: null });
  const usage = await until(
    async () => {
      const [found] = (await service.api.get<Usage>('/versions/metrics?days=2')).body.data.versions;
      return found && found.requests >= 41 ? found : undefined;
    },
    { what: 'the usage of both processes', deadlineMs: 40_000 },
  );
  expect(usage).toMatchObject({ version: 'v1.0.0', uniqueClients: 2, deprecationStatus: 'active' });
  expect(usage.errorRate).toBeGreaterThan(0);
  expect(usage.avgResponseTime).toBeGreaterThan(0);
  expect(await service.api.get('/versions/metrics', { key: visitor })).toHaveProperty('status', 403);
});

test('an ADMIN announces a deprecation, and everyone with a key reads it', async () => {
  const announcement = { kind: 'deprecation', version: 'v1.0.0', message: 'Move to v2', link: 'https://x.example/v2' };
  const created = await service.api.post('/announcements', announcement);
  expect(created).toMatchObject({ status: 201, body: { data: { kind: 'DEPRECATION', effectiveAt: null } } });
  await service.api.post('/announcements', {
    ...announcement,
    kind: 'END_OF_LIFE',
    effectiveAt: '2028-01-01T00:00:00Z',
  });

  const all = await service.api.get('/announcements', { key: visitor });
  expect(all.body).toMatchObject({
    data: {
      announcements: [{ kind: 'END_OF_LIFE', effectiveAt: '2028-01-01T00:00:00.000Z' }, { kind: 'DEPRECATION' }],
    },
    metadata: { pagination: { total: 2 } },
  });
  const one = await service.api.get('/announcements?kind=DEPRECATION&version=v1.0.0', { key: visitor });
  expect(one.body).toMatchObject({ metadata: { pagination: { total: 1 } } });
  expect(await service.api.post('/announcements', announcement, { key: visitor })).toHaveProperty('status', 403);
  const badLink = await service.api.post('/announcements', { ...announcement, link: 'javascript:alert(1)' });
  expect(badLink).toMatchObject({ status: 400, body: { error: { details: { errors: [{ field: 'link' }] } } } });
});

const onFor = async (key: string) =>
  (await service.api.get<{ data: { features: string[] } }>('/features', { key })).body.data.features;

test('a caller reads which features are on for it, and never the flags', async () => {
  const flag = { enabled: true, version: 'v1.0.0', rolloutPercentage: 100 };
  const { id } = parseApiKey(visitor)!;
  const flags = {
    all: flag,
    none: { ...flag, rolloutPercentage: 0 },
    off: { ...flag, enabled: false },
    later: { ...flag, version: 'v1.1.0' },
    mine: { ...flag, conditions: { clientIds: [id] } },
    elsewhere: { ...flag, conditions: { environments: ['staging'] } },
    future: { ...flag, conditions: { startDate: '2100-01-01T00:00:00Z' } },
    here: { ...flag, conditions: { environments: ['test'], startDate: '2020-01-01T00:00:00Z' } },
  };
  for (const [name, body] of Object.entries(flags))
    expect(await service.api.put(`/feature-flags/${name}`, body)).toHaveProperty('status', 200);

  expect(await onFor(visitor)).toEqual(['all', 'here', 'mine']);
  expect(await onFor(service.adminKey)).toEqual(['all', 'here']);
  expect(await service.api.get('/feature-flags', { key: visitor })).toHaveProperty('status', 403);
  expect((await service.api.get('/feature-flags')).body).toMatchObject({ metadata: { pagination: { total: 8 } } });

  await service.api.put('/feature-flags/all', { ...flag, rolloutPercentage: 0.01 });
  expect(await service.api.del('/feature-flags/here')).toHaveProperty('status', 204);
  expect(await onFor(visitor)).toEqual(['mine']);
  expect(await service.api.del('/feature-flags/here')).toMatchObject(errorResponse(404, 'FEATURE_FLAG_NOT_FOUND'));
});

test('the number of flags is limited, and the audit log counts the clients of a flag', async () => {
  const flag = { enabled: true, version: 'v1.0.0', rolloutPercentage: 0, conditions: { clientIds: ['a', 'b'] } };
  await service.sql.run`insert into feature_flags (name, enabled, version, rollout, client_ids, environments,
     created_at, updated_at)
     select 'filler-' || n, false, 'v1.0.0', 0, '{}', '{}', now(), now()
     from generate_series(1, 200 - (select count(*)::int from feature_flags)) n`;
  expect(await service.api.put('/feature-flags/one-more', flag)).toMatchObject({
    body: { error: { code: 'TOO_MANY_FEATURE_FLAGS' } },
  });
  expect(await service.api.put('/feature-flags/filler-1', flag)).toHaveProperty('status', 200);
  const rows = await service.sql.run`select metadata from audit_log
      where action = 'FEATURE_FLAG_CHANGED' order by recorded desc limit 1`;
  expect(rows).toMatchObject([{ metadata: { conditions: { clientIds: 2 } } }]);
  await service.sql.run`delete from feature_flags where name like 'filler-%'`;
});
