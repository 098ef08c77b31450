import { expect, test } from '@jest/globals';
import { wallClock } from '../../src/domain/units/clock.ts';
import { createIds } from '../../src/domain/units/ids.ts';
import { instant } from '../../src/domain/units/instant.ts';
import { recordLanding } from '../../src/services/on-ledger/late-landing.ts';
import { holdForOperator } from '../../src/services/vaults/holds.ts';
import { createUnitOfWork, productionClock } from '../../src/store/unit-of-work.ts';
import { vaultTransactions } from '../../src/store/vault-transactions.ts';
import { apiService } from '../vaults/api-service.ts';
import { createVault, readVault } from '../vault-lifecycle/vault-requests.ts';
import { person } from '../vault-lifecycle/participants.ts';

test('a vault shows that its transactions fail again and again, until one lands', async () => {
  await using service = await apiService();
  const vaultId = await createVault(service, person(195).address);
  const ids = createIds({ clock: wallClock, random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) });
  const unitOfWork = createUnitOfWork(service.db, productionClock(wallClock), ids);
  const reasons = async () => (await readVault(service, vaultId)).holds.map(({ reason }) => reason);

  for (let times = 0; times < 2; times += 1)
    await unitOfWork((context) => holdForOperator(context, vaultId, 'repeated_failures'));
  expect(await reasons()).toEqual(['repeated_failures']);

  const [creation] = await vaultTransactions(service.db, vaultId, ['create_vault']);
  if (!creation) throw new Error('the vault has no creation transaction');
  const block = { height: 7, hash: '7'.repeat(64), slot: 7, time: instant(0) };
  const quarantined: unknown[] = [];
  await unitOfWork((context) => recordLanding(context, creation, block, (...what) => quarantined.push(what)));
  expect(await reasons()).toEqual([]);
  expect(quarantined).toEqual([]);
  const { rows } = await service.sql.query<{ type: string }>(
    `select type from outbox where vault_id = $1 and type in ('VAULT_HELD', 'VAULT_RELEASED') order by recorded`,
    [vaultId],
  );
  expect(rows.map(({ type }) => type)).toEqual(['VAULT_HELD', 'VAULT_RELEASED']);
});
