import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { wallClock, defaultDurationBounds } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { ServiceError } from '../../src/platform/errors.ts';
import { priceAssets } from '../../src/settlement/plan-settlement.ts';
import { createUnitOfWork, offsetClock } from '../../src/platform/database/unit-of-work.ts';
import { keys } from '../chain/sample-context.ts';
import { createVault, readVault } from '../vault-lifecycle/vault-requests.ts';
import { recordTransaction } from '../governance/record-transaction.ts';
import { recordHeldAsset } from '../governance/vault-with-custody.ts';
import { apiService, newWallet } from './api-service.ts';

const MOST_ASSETS = 100;
/** After this a request to the price feed is given up (src/cardano/price-source.ts). */
const FEED_SECONDS = 3;
/** The time of the activity (workflows/activity-proxies.ts). */
const ACTIVITY_SECONDS = 60;

test('a price feed that gives no answer about a hundred assets holds the vault before its activity times out', async () => {
  await using service = await apiService();
  const vaultId = await createVault(service, newWallet().address);
  await recordTransaction(service, vaultId, '00'.repeat(32), 'add_asset');
  for (let position = 0; position < MOST_ASSETS; position += 1)
    await recordHeldAsset(service, vaultId, { policy_id: 'ab'.repeat(28), asset_name: `Silent ${position}` });
  await service.sql.run`update assets set counted_price = null`;
  let [waiting, most] = [0, 0];
  const priceSource = {
    async priceOf(): Promise<never> {
      waiting += 1;
      most = Math.max(most, waiting);
      await pause(20);
      waiting -= 1;
      throw new ServiceError('PRICE_UNAVAILABLE');
    },
  };
  const ids = createIds({ clock: wallClock, random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) });
  const unitOfWork = createUnitOfWork(service.db, offsetClock(wallClock), ids);
  const context = { db: service.db, keys, unitOfWork, priceSource, durationBounds: defaultDurationBounds };
  const ledger = {} as never;
  expect(await priceAssets({ ...context, ledger }, { vaultId, now: wallClock.now() })).toBe(false);
  expect((await readVault(service, vaultId)).holds).toMatchObject([{ reason: 'price_unavailable' }]);
  expect((MOST_ASSETS / most) * FEED_SECONDS).toBeLessThan(ACTIVITY_SECONDS / 2);
});
