import { expect, test } from '@jest/globals';
import { instant } from '../../src/domain/units/instant.ts';
import { lovelace } from '../../src/domain/units/money.ts';
import { refreshValuations } from '../../src/services/valuation/refresh-valuations.ts';
import { apiService } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';

test('one price that cannot be stored keeps no other asset from its new price', async () => {
  await using service = await apiService();
  const made = await service.api.post<{ vault_id: string }>(
    '/vaults',
    vaultBody((await service.fundedWallet()).address),
  );
  const names = ['Boat', 'Mill'];
  for (const name of names) {
    const owner = await service.fundedWallet({ [name]: '1' });
    const asset = { policy_id: owner.policyId, asset_name: name, wallet_address: owner.address };
    expect(await service.api.post(`/vaults/${made.body.vault_id}/assets`, asset)).toMatchObject({ status: 201 });
  }
  await service.sql.query("update assets set status = 'LOCKED'");
  const now = instant(Date.now());
  const boat = Buffer.from('Boat').toString('hex');
  const refreshed = refreshValuations({
    db: service.db,
    readingTime: () => Promise.resolve(now),
    priceSource: {
      priceOf: ({ assetName }) =>
        assetName === boat
          ? Promise.reject(new Error('the feed sent nonsense'))
          : Promise.resolve({ lovelace: lovelace(77n), decimals: 0, asOf: now, source: 'test' }),
    },
  });
  await expect(refreshed).rejects.toThrow('the feed sent nonsense');
  const { rows } = await service.sql.query<{ lovelace: string }>('select lovelace from prices where asset_name = $1', [
    Buffer.from('Mill').toString('hex'),
  ]);
  expect(rows).toEqual([{ lovelace: '77' }]);
});
