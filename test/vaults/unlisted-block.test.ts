import { expect, test } from '@jest/globals';
import { createNetworkStateCache } from '../../src/cardano/ledger/network-state.ts';
import { ServiceError } from '../../src/platform/errors.ts';
import { instant } from '../../src/platform/units/time.ts';
import { scanPage } from '../../src/ledger-follower/unsolicited/watch-addresses.ts';
import { followerOf } from '../follower/follower-service.ts';
import { person } from '../vault-lifecycle/participants.ts';
import { apiService } from './api-service.ts';
import { addressesOf, listUnsolicited } from './unsolicited-scan.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

test('a block whose addresses the ledger cannot list keeps no vault from being scanned, and is told', async () => {
  await using service = await apiService();
  const vaultId = await createVault(service, person(430).address);
  await service.sql.run`update vaults set status = 'ACTIVE' where id = ${vaultId}`;
  const follower = followerOf(service);
  const { context } = follower;
  await follower.catchUp();
  const { custody } = await addressesOf(service, vaultId, '00'.repeat(28));
  await service.ledger.faucet({ address: custody, lovelace: '5000000' });
  await service.ledger.mine(5);
  await follower.catchUp();
  const ledger: typeof context.ledger = {
    ...context.ledger,
    blockAddresses: () => Promise.reject(new ServiceError('LEDGER_UNAVAILABLE')),
  };
  const networkState = createNetworkStateCache({ ledger, networkId: 0 });
  const readingTime = () => Promise.resolve(instant(new Date()));
  const { next, failures } = await scanPage({ ...context, ledger, networkState, readingTime }, null);
  expect([next, failures.size]).toEqual([null, 1]);
  expect((await listUnsolicited(service, vaultId)).map(({ place }) => place)).toEqual(['custody']);
});
