import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { apiService } from '../vaults/api-service.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { holdLocks } from '../stack/hold-locks.ts';
import { recordStatements } from '../store/recorded-statements.ts';
import { vaultWithTokens } from '../governance/vault-with-tokens.ts';

const notFound = { status: 404, body: { error: { code: 'VAULT_NOT_FOUND' } } };
const nothing = { lovelace: '0', assets: [] };

test('a vault whose creation is in no block has empty books; those of a private vault are for whoever may read it', async () => {
  await using service = await apiService();
  const { api } = service;
  const [holder, stranger] = [signingWallet(), signingWallet()];
  const vaultId = await vaultWithTokens(service, holder, 'LOCKED', 'PRIVATE');
  const session = await logIn(service, stranger);
  for (const path of ['statement', 'remains']) {
    expect(await api.get(`/vaults/${vaultId}/${path}`, session)).toMatchObject(notFound);
    expect(await api.get(`/vaults/${randomUUID()}/${path}`)).toMatchObject(notFound);
  }
  expect(await api.get(`/vaults/${vaultId}/statement`)).toMatchObject({
    status: 200,
    body: { data: { vaultId, opening: nothing, movements: [], closing: nothing, next: null } },
  });
  expect(await api.get(`/vaults/${vaultId}/remains`)).toMatchObject({ status: 200, body: { data: { remains: [] } } });
});

test('a page of a statement is refused with the parameter that is wrong', async () => {
  await using service = await apiService();
  const vaultId = await vaultWithTokens(service, signingWallet());
  for (const query of [
    'after=x',
    `after=${Buffer.from('1/2/aa/in/addr').toString('base64url')}`,
    'limit=0',
    'limit=1001',
  ]) {
    const errors = [{ field: query.split('=')[0] }];
    expect(await service.api.get(`/vaults/${vaultId}/statement?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_REQUEST', details: { errors } } },
    });
  }
});

test('what remains of a vault is put together once for a page and its total', async () => {
  await using service = await apiService();
  const vaultId = await vaultWithTokens(service, signingWallet());
  using recorded = recordStatements();
  const remains = await service.api.get(`/vaults/${vaultId}/remains?place=custody`);
  expect(remains).toMatchObject({
    status: 200,
    body: { data: { remains: [] }, metadata: { pagination: { total: 0 } } },
  });
  const read = recorded.statements().find(({ text }) => text.includes('unspent'));
  expect(read?.text.split('jsonb_array_elements(outputs)')).toHaveLength(2);
});

test('reads of books that take long leave connections for all other requests', async () => {
  await using service = await apiService({ DATABASE_CONNECTIONS: '4' });
  const vaultId = await vaultWithTokens(service, signingWallet());
  const reads = await holdLocks(service, 'lock table unsolicited_outputs', async (held) => {
    const paths = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? 'statement' : 'remains'));
    const waiting = Promise.all(paths.map((path) => service.api.get(`/vaults/${vaultId}/${path}`)));
    await held.reached();
    expect(await service.api.get('/vault-types')).toMatchObject({ status: 200 });
    return { waiting };
  });
  for (const { status } of await reads.waiting) expect(status).toBe(200);
});
