import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { formatApiKey } from '../../src/access/api-keys.ts';
import { apiService } from '../vaults/api-service.ts';

test('the key of the configuration ends a day after there is another ADMIN key that lasts for 30 days', async () => {
  await using own = await apiService();
  const ends = async () => {
    const found = await own.sql.query<{ expires_at: Date | null }>(
      "select expires_at from api_keys where created_by = 'bootstrap'",
    );
    return found.rows.map(({ expires_at: end }) => end?.getTime() ?? null);
  };
  const make = (params: object) => own.api.post<{ data: { key: string } }>('/api-keys', { name: 'test', ...params });

  await make({ roles: ['VOTER'] });
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  for (const days of [1, 29]) await make({ roles: ['ADMIN'], expiresAt: inDays(days) });
  expect(await ends()).toEqual([null]);
  await make({ roles: ['ADMIN'], expiresAt: inDays(31) });
  expect(await ends()).toEqual([expect.any(Number)]);
  await own.sql.run`update api_keys set expires_at = null where created_by = 'bootstrap'`;

  const before = Date.now();
  const { key } = (await make({ roles: ['ADMIN'] })).body.data;
  const [end = 0] = await ends();
  expect(end).toBeGreaterThanOrEqual(before + 86_400_000);
  expect(end).toBeLessThan(Date.now() + 86_400_001);
  await own.sql.run`update api_keys set expires_at = now() where created_by = 'bootstrap'`;
  expect(await own.api.post('/api-keys', { name: 'test', roles: [] }, { key })).toMatchObject({ status: 201 });
  expect((await ends())[0]).toBeLessThan(before + 86_400_000);
});

test('a key that the configuration gets later ends within a day, too, and each start looks again', async () => {
  await using own = await apiService();
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const makeAdmin = (expiresAt?: string) =>
    own.api.post('/api-keys', { name: 'test', roles: ['ADMIN'], ...(expiresAt !== undefined && { expiresAt }) });
  const start = async (environment = 'test') => {
    const parts = { environment, id: randomBytes(16).toString('hex'), secret: randomBytes(32) };
    await (await own.startAnother({ environment, bootstrapAdminKey: formatApiKey(parts) })).stop();
    return parts.id;
  };
  const limited = async () => {
    const day = "expires_at between now() + interval '23 hours' and now() + interval '1 day'";
    const { rows } = await own.sql.query<{ id: string; limited: boolean }>(
      `select id, coalesce(${day}, false) as limited from api_keys where created_by = 'bootstrap' and expires_at is not null`,
    );
    return rows.filter(({ limited: isLimited }) => isLimited).map(({ id }) => id);
  };

  await makeAdmin(inDays(29));
  await start();
  expect(await limited()).toEqual([]);
  await makeAdmin(inDays(31));
  const later = await start();
  expect(await limited()).toContain(later);
  expect(await limited()).toHaveLength(3);
  const audited = await own.sql.run`select actor_type from audit_log
      where action = 'BOOTSTRAP_KEY_LIMITED' and resource_id = ${later}`;
  expect(audited).toEqual([{ actor_type: 'SYSTEM' }]);

  await own.sql.run`update api_keys set expires_at = null where created_by = 'bootstrap'`;
  await start('development');
  expect(await limited()).toEqual([]);
  await (await own.startAnother({ bootstrapAdminKey: undefined })).stop();
  expect(await limited()).toHaveLength(4);

  await own.sql.run`update api_keys set revoked_at = now() where created_by <> 'bootstrap'`;
  const last = await start();
  expect(await limited()).not.toContain(last);
});
