import { expect, test } from '@jest/globals';
import { apiService, newWallet } from './api-service.ts';
import { vaultBody } from './vault-body.ts';

test('a created vault can be read at once, with its windows running', async () => {
  await using service = await apiService();
  const admin = newWallet();
  const made = await service.api.post<Record<string, string>>('/vaults', vaultBody(admin.address));
  expect(made).toMatchObject({ status: 201 });
  const read = await service.api.get<any>(`/vaults/${made.body.vault_id}`);
  const list = await service.api.get<any>(`/vaults?status=draft&sort=name:asc`);
  expect(list.body.metadata.pagination).toEqual({ page: 1, limit: 20, total: 1 });
});
