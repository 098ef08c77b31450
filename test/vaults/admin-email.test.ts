import { expect, test } from '@jest/globals';
import { signingWallet } from '../http/signing-wallet.ts';
import { apiService } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';
import { logIn } from './logged-in-wallet.ts';
import { errorResponse } from '../stack/error-response.ts';

const first = 'first@harbour.example';
const second = 'second@harbour.example';

test("the email of a vault's admin is changed and erased by the admin and by ADMIN only, and nothing else keeps it", async () => {
  await using service = await apiService();
  const [admin, stranger] = [signingWallet(), signingWallet()];
  const body = { ...vaultBody(admin.address), admin_user: { wallet_address: admin.address, email: first } };
  const made = await service.api.post<{ vault_id: string }>('/vaults', body);
  const vault = `/vaults/${made.body.vault_id}`;
  const path = `${vault}/admin-email`;
  const [asAdmin, asStranger] = [await logIn(service, admin), await logIn(service, stranger)];
  const stored = async () =>
    (await service.api.get<{ data: { adminEmail: string | null } }>(vault)).body.data.adminEmail;
  const denied = errorResponse(403, 'INSUFFICIENT_PERMISSIONS');

  for (const reading of [1, 2]) expect([reading, await stored()]).toEqual([reading, first]);
  expect(await service.api.put(path, { email: second }, asStranger)).toMatchObject(denied);
  expect(await service.api.del(path, undefined, asStranger)).toMatchObject(denied);
  const keyed = { ...asAdmin, headers: { ...asAdmin.headers, 'idempotency-key': 'once' } };
  expect(await service.api.put(path, { email: second }, keyed)).toMatchObject({ status: 200 });
  expect(await stored()).toBe(second);
  expect((await service.api.get(vault, asAdmin)).body).not.toHaveProperty('data.adminEmail');
  expect(await service.api.put(path, { email: 'nobody' })).toMatchObject({
    status: 400,
    body: { error: { details: { errors: [{ field: 'email' }] } } },
  });

  expect(await service.api.put(path, { email: first })).toMatchObject({ status: 200 });
  expect(await service.api.del(path, undefined, asAdmin)).toMatchObject({ status: 204 });
  expect(await service.api.del(path)).toMatchObject({ status: 204 });
  expect(await stored()).toBeNull();
  expect(await everyRow(service.sql)).not.toMatch(/first@harbour|second@harbour/);
  const audited = await service.sql.query<{ action: string }>(
    "select action from audit_log where action like '%EMAIL%' order by recorded",
  );
  expect(audited.rows.map(({ action }) => action)).toEqual([
    'VAULT_ADMIN_EMAIL_CHANGED',
    'VAULT_ADMIN_EMAIL_CHANGED',
    'VAULT_ADMIN_EMAIL_ERASED',
    'VAULT_ADMIN_EMAIL_ERASED',
  ]);

  await service.stopApi();
  const reads = await service.sql.run`select * from audit_log where action = 'PERSONAL_DATA_READ'`;
  expect(reads).toEqual([
    expect.objectContaining({
      ...{ actor_type: 'API_KEY', resource_type: 'vault', resource_id: made.body.vault_id },
      metadata: expect.objectContaining({ count: 3 }),
    }),
  ]);
});

test('the email of a vault that the caller may not read cannot be reached', async () => {
  await using service = await apiService();
  const body = { ...vaultBody(signingWallet().address), vault_type: 'private', privacy_type: 'private' };
  const made = await service.api.post<{ vault_id: string }>('/vaults', body);
  const stranger = await logIn(service, signingWallet());
  for (const id of [made.body.vault_id, '01890a5d-ac96-774b-bcce-b302099a8057']) {
    expect(await service.api.del(`/vaults/${id}/admin-email`, undefined, stranger)).toMatchObject(
      errorResponse(404, 'VAULT_NOT_FOUND'),
    );
  }
});

/** The content of every table, as text. */
async function everyRow(sql: Awaited<ReturnType<typeof apiService>>['sql']): Promise<string> {
  const tables = await sql.query<{ name: string }>(
    "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  );
  expect(tables.rows.length).toBeGreaterThan(20);
  const texts = tables.rows.map(async ({ name }) => JSON.stringify((await sql.query(`select * from "${name}"`)).rows));
  return (await Promise.all(texts)).join('\n');
}
