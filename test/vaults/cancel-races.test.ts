import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createCreationActivities, createVaultActivities } from '../../activities/vaults.ts';
import { createNetworkStateCache } from '../../src/cardano/ledger/network-state.ts';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { resumeRefunds } from '../../src/vaults/transitions.ts';
import { failVault, terminateVault } from '../../src/vaults/end-vault.ts';
import { openOrCloseWindow } from '../../src/vaults/windows.ts';
import { defaultImage } from '../../src/cardano/tokens/picture.ts';
import { createPriceSource } from '../../src/cardano/price-source.ts';
import { wallClock, defaultDurationBounds } from '../../src/platform/units/time.ts';
import { minLiquidity } from '../../src/settlement/rules/distribution.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { createUnitOfWork, productionClock } from '../../src/platform/database/unit-of-work.ts';
import { keys } from '../chain/sample-context.ts';
import { unboundedBudget } from '../follower/follower-service.ts';
import { until } from '../stack/until.ts';
import { apiService, type ApiService } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';
import type { WorkerContext } from '../../src/worker-context.ts';

const ids = createIds({ clock: wallClock, random: randomBytes });

/** Creates a vault with one asset that is priced when the asset window closes. */
async function vaultWithAsset(service: ApiService): Promise<string> {
  const owner = await service.fundedWallet({ Boat: '1' });
  const body = vaultBody(owner.address);
  const { body: made } = await service.api.post<{ vault_id: string }>('/vaults', {
    ...body,
    asset_settings: { ...body.asset_settings, valuation_type: 'LBE' },
  });
  const asset = { policy_id: owner.policyId, asset_name: 'Boat', valuation_method: 'floor_price', metadata: {} };
  const path = `/vaults/${made.vault_id}/assets`;
  const { status } = await service.api.post(path, { ...asset, wallet_address: owner.address });
  expect(status).toBe(201);
  return made.vault_id;
}

const cancel = (service: ApiService, vaultId: string) =>
  service.sql.query(`update vaults set failed_because = 'cancelled' where id = $1`, [vaultId]);

test('a vault that is cancelled while its prices are requested is not held for a missing price', async () => {
  await using service = await apiService();
  const [active, cancelled] = [await vaultWithAsset(service), await vaultWithAsset(service)];
  await cancel(service, cancelled);
  const planning = createVaultActivities({
    ledger: createLedger({ baseUrl: `${service.ledger.url}/api/v0`, timeoutMs: 5_000 }),
    keys,
    db: service.db,
    unitOfWork: createUnitOfWork(service.db, productionClock(wallClock), ids),
    priceSource: createPriceSource({ feedUrl: `${service.ledger.url}/no-prices` }),
    durationBounds: defaultDurationBounds,
    lpMinimum: minLiquidity,
    onTransition: () => undefined,
  });

  for (const vaultId of [active, cancelled])
    expect(await planning.priceAssets({ vaultId, now: wallClock.now() })).toBeNull();

  const holds = await service.sql.run`select vault_id, reason from holds`;
  expect(holds).toEqual([{ vault_id: active, reason: 'price_unavailable' }]);
  const events = await service.sql.run`select vault_id from outbox where type = 'VAULT_HELD'`;
  expect(events).toEqual([{ vault_id: active }]);
});

test('nobody who reaches Temporal closes a window, fails a vault or ends it before it is due', async () => {
  await using service = await apiService();
  const vaultId = await vaultWithAsset(service);
  const unitOfWork = createUnitOfWork(service.db, productionClock(wallClock), ids);
  const onTransition = () => undefined;
  await service.sql.run`update windows set status = 'ACTIVE'`;
  const before = await service.sql.query('select status, failed_because from vaults');
  const moment = { vaultId, now: wallClock.now() };

  for (const window of ['asset', 'investment'] as const)
    await expect(
      openOrCloseWindow({ unitOfWork, onTransition }, { ...moment, window, change: 'close' }),
    ).rejects.toThrow('not to close');
  for (const reason of ['cancelled', 'settlement_deadline', 'no_assets'] as const) {
    await expect(failVault({ unitOfWork }, { ...moment, reason })).rejects.toThrow('has no reason to fail');
    await expect(terminateVault({ unitOfWork }, { ...moment, reason })).rejects.toThrow('has not failed');
  }
  expect(await service.sql.run`select status, failed_because from vaults`).toEqual(before.rows);
});

test('the creation transaction of a cancelled vault is not rebuilt', async () => {
  await using service = await apiService();
  const vaultId = await vaultWithAsset(service);
  await service.sql.run`update chain_transactions set state = 'expired' where kind = 'create_vault'`;
  await cancel(service, vaultId);
  const ledger = createLedger({ baseUrl: `${service.ledger.url}/api/v0`, timeoutMs: 5_000 });
  const creation = createCreationActivities({
    tokenMetadata: { image: defaultImage },
    db: service.db,
    unitOfWork: createUnitOfWork(service.db, productionClock(wallClock), ids),
    ids,
    ledger,
    networkState: createNetworkStateCache({ ledger, networkId: 0 }),
    keys,
    operatorBudget: unboundedBudget(),
    networkId: 0,
    onQuarantine: () => undefined,
    onSignatureRefused: () => undefined,
  } as unknown as WorkerContext);

  expect(await creation.prepareCreation({ vaultId, now: wallClock.now() })).toBeNull();
});

test('a failed vault does not end while one of its deposits is not back', async () => {
  await using service = await apiService();
  const vaultId = await vaultWithAsset(service);
  await cancel(service, vaultId);
  const unitOfWork = createUnitOfWork(service.db, productionClock(wallClock), ids);
  await service.sql.run`update assets set status = 'LOCKED', locked_at = now()`;
  const terminate = () => terminateVault({ unitOfWork }, { vaultId, reason: 'cancelled', now: wallClock.now() });

  expect(await terminate()).toBe('refunding');
  await service.sql.run`update assets set status = 'RELEASED', release_reason = 'refunded', released_at = now()`;
  expect(await terminate()).toBe('terminated');
});

test('a failed vault does not end past a deposit that is recorded at this moment, and is woken for it', async () => {
  await using service = await apiService();
  const vaultId = await vaultWithAsset(service);
  await cancel(service, vaultId);
  const unitOfWork = createUnitOfWork(service.db, productionClock(wallClock), ids);
  const isWaiting = async () => {
    const rows = await service.sql.run`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
    return rows.length > 0;
  };

  const ending = await unitOfWork(async (context) => {
    await sql`update assets set status = 'LOCKED', locked_at = now()`.execute(context.tx);
    await resumeRefunds(context, vaultId);
    const stage = terminateVault({ unitOfWork }, { vaultId, reason: 'cancelled', now: wallClock.now() });
    await until(isWaiting, { what: 'the end of the vault to wait for the deposit', deadlineMs: 20_000 });
    return { stage };
  });

  expect(await ending.stage).toBe('refunding');
  const rows = await service.sql.run`select message ->> 'again' as again from workflow_notices
      where workflow_id = ${`vault-${vaultId}`} order by id desc limit 1`;
  expect(rows).toEqual([{ again: 'true' }]);
});
