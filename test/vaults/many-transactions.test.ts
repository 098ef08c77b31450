import { expect, test } from '@jest/globals';
import { lockedVault } from '../governance/staked-vault.ts';
import { recordStatements } from '../store/recorded-statements.ts';
import { apiService } from './api-service.ts';

interface VaultResponse {
  readonly data: { readonly transactions: readonly { readonly kind: string; readonly createdAt: string }[] };
}

test('a vault with over 1,000 transactions returns its own and the newest others, without reading transaction bytes', async () => {
  await using service = await apiService();
  const { vaultId } = await lockedVault(service, Array<number>(1100).fill(1));
  await service.sql.query(
    "update chain_transactions set created_at = created_at + interval '1 hour' where id in (select id from chain_transactions where kind = 'stake' limit 999)",
  );
  using recorded = recordStatements();
  const { transactions } = (await service.api.get<VaultResponse>(`/vaults/${vaultId}`)).body.data;

  expect(transactions).toHaveLength(1000);
  expect(transactions.filter(({ kind }) => kind === 'create_vault')).toHaveLength(1);
  const times = transactions.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted());
  expect(new Set(times).size).toBe(2);
  const queries = recorded.statements().filter(({ text }) => text.includes('chain_transactions'));
  expect(queries.map(({ text }) => /cbor|\* from "chain_transactions"/.test(text))).toEqual([false]);
});
