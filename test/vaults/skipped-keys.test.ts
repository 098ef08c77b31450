import { expect, test } from '@jest/globals';
import { runCommand } from '../../src/operations/commands/commands.ts';
import { publishVaultKeys } from '../../src/operations/operator-funds.ts';
import { followerOf } from '../follower/follower-service.ts';
import { newVault } from '../follower/sent-deposit.ts';
import { apiService } from './api-service.ts';

test('after a restored backup new vaults get keys that no vault of after it can have', async () => {
  await using service = await apiService();
  const { db, keys, sql } = service;
  const indexes = async (condition: string) => {
    const query = `select key_index as index from vault_keys where ${condition} order by key_index`;
    return (await sql.query<{ index: number }>(query)).rows.map(({ index }) => index);
  };
  const before = await newVault(service);
  const [ofBefore] = await indexes(`vault_id = '${before}'`);
  const free = await indexes('vault_id is null');
  const last = free.at(-1) ?? -1;
  const skipped = await runCommand({ ...followerOf(service).context, ledger: null }, ['keys', 'skip']);
  expect(skipped).toMatchObject({ ok: true, output: expect.stringContaining(` ${free.length - 1} keys`) });
  await publishVaultKeys({ db, keys });
  const vaultId = await newVault(service);
  expect(await indexes(`vault_id = '${vaultId}'`)).toEqual([last]);
  expect(await indexes(`key_index <= ${last}`)).toEqual([ofBefore, last]);
  expect((await indexes('vault_id is null')).length).toBeGreaterThan(100);
});
