import { expect, test } from '@jest/globals';
import { ownTemporal } from '../stack/own-servers.ts';
import { testStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { countOnLedger } from './kill-worker.ts';
import { contribute, fundWallet, person, waitForTransaction } from './participants.ts';
import { waitForVaultStatus, createVault, readVault } from './vault-requests.ts';

test('vaults and assets are accepted while Temporal is down, and continue when it is back', async () => {
  await using temporal = await ownTemporal();
  await using stack = await testStack({ servers: { temporal } });
  const owner = person(111);
  const policyId = await fundWallet(stack, owner, { ada: 200, assets: { Barn: 1, Silo: 1 } });
  const before = await createVault(stack, owner.address);
  await waitForVaultStatus(stack, before, 'ACTIVE');

  await temporal.stop();
  const barn = await contribute(stack, before, owner, { policyId, name: 'Barn' });
  const during = await createVault(stack, owner.address);
  expect(await readVault(stack, during)).toMatchObject({ status: 'DRAFT' });
  const ready = async () => (await stack.root.get('/health/ready', { key: null })).status === 200;
  await until(ready, { what: 'the api to be ready without Temporal' });
  const waiting = await stack.sql.run`select 1 from workflow_notices where sent_at is null`;
  expect(waiting.length).toBeGreaterThanOrEqual(2);

  await temporal.start();
  await waitForVaultStatus(stack, during, 'ACTIVE');
  await waitForTransaction(stack, barn.hash, ['confirmed', 'final']);
  const silo = await contribute(stack, during, owner, { policyId, name: 'Silo' });
  await waitForTransaction(stack, silo.hash, ['final']);
  for (const vaultId of [before, during]) {
    expect([...(await countOnLedger(stack, vaultId)).values()]).toEqual([1, 1]);
  }
});
