import { expect, test } from '@jest/globals';
import { holdLock } from '../stack/hold-locks.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';
import { apiService, newWallet } from './api-service.ts';

test('a process that freezes while it counts the anchored actions of a wallet delays the changes of that wallet alone', async () => {
  await using service = await apiService();
  const [admin, other] = [newWallet().address, newWallet().address];
  const [own, another] = [await createVault(service, admin), await createVault(service, other)];
  const change = (vaultId: string, fdp: string) => service.api.patch(`/vaults/${vaultId}`, { termination: { fdp } });
  {
    const lock = "select pg_advisory_xact_lock(hashtextextended('free:vault_change:' || $1, 0))";
    await using frozen = await holdLock(service, lock, [admin]);
    const refused = change(own, '1.00');
    await frozen.reached();
    expect(await change(another, '1.00')).toMatchObject({ status: 200 });
    expect(await refused).toMatchObject({ body: { error: { code: 'SERVICE_NOT_READY' } } });
  }
  expect(await change(own, '1.00')).toMatchObject({ status: 200 });
});
