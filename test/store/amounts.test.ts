import { expect, test } from '@jest/globals';
import { propose, lockedVault, voteBody } from '../governance/staked-vault.ts';
import { testDatabase } from '../stack/test-database.ts';
import { apiService } from '../vaults/api-service.ts';

test('no stake and no vote can have an amount that is not a number, which would make each sum of a vote fail', async () => {
  await using service = await apiService();
  const { api, sql } = service;
  const { vaultId, voters, proposer } = await lockedVault(service, [60_000, 20_000]);
  const id = await propose(service, vaultId, proposer);
  const vote = () => api.post(`/proposals/${id}/votes`, voteBody(voters[1] ?? '', 10, 'yes'));
  expect(await vote()).toMatchObject({ status: 200 });
  const stake = `update stakes set amount = 'NaN' where wallet = '${voters[1] ?? ''}'`;
  for (const statement of [stake, `update stakes set used_power = 'NaN'`, `update votes set amount = 'NaN'`])
    await expect(sql.query(statement)).rejects.toMatchObject({ code: '23514' });
  const { body } = await api.get<object>(`/proposals/${id}`);
  expect(body).toMatchObject({ data: { votes: { approve: 10 } } });
});

test('every amount in the schema is checked to be a finite number', async () => {
  await using database = await testDatabase();
  const rows = await database.sql.run<{ name: string; constraint: string | null }>`
     select table_name || '.' || column_name as name, pg_get_constraintdef(oid) as constraint
     from information_schema.columns left join pg_constraint
       on conrelid = format('%I.%I', table_schema, table_name)::regclass
       and conname = table_name || '_' || column_name || '_is_number' and convalidated
     where table_schema = current_schema() and data_type = 'numeric' and is_generated = 'NEVER'`;
  expect(rows.length).toBeGreaterThan(20);
  const isFinite = /> '-Infinity'::numeric.*< 'Infinity'::numeric/;
  expect(rows.filter(({ constraint }) => !isFinite.test(constraint ?? ''))).toEqual([]);
});
