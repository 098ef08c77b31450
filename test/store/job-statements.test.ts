import { expect, test } from '@jest/globals';
import { createNetworkStateCache } from '../../src/cardano/ledger/network-state.ts';
import { createPriceSource } from '../../src/cardano/price-source.ts';
import { wallClock, defaultDurationBounds, instant } from '../../src/platform/units/time.ts';
import { sequenceBatch } from '../../src/events/sequencer.ts';
import { resubmitAndExpire } from '../../src/ledger-follower/resubmit-and-expire.ts';
import { scanPage } from '../../src/ledger-follower/unsolicited/watch-addresses.ts';
import { sweep } from '../../src/operations/upkeep.ts';
import { closeDueWindows } from '../../src/vaults/windows.ts';
import { refreshValuations } from '../../src/prices/valuations.ts';
import { readBacklog, unendedWorkflows } from '../../src/operations/queries.ts';
import {
  nextPlannedVaults,
  endReconciliation,
  insertReconciliation,
  recordCompared,
} from '../../src/books/queries/reconciliations.ts';
import { followerOf } from '../follower/follower-service.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { mayScan, scansOf } from './plan-scans.ts';
import { recordStatements } from './recorded-statements.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

test('no statement of a job scans a growing table', async () => {
  await using service = await apiService();
  await heldVault(service);
  await service.stopApi();
  const follower = followerOf(service);
  const { context } = follower;
  const { db, ledger, keys } = service;
  const jobs = {
    ...context,
    keys,
    networkId: 0,
    networkState: createNetworkStateCache({ ledger: context.ledger, networkId: 0 }),
    readingTime: () => Promise.resolve(instant(wallClock.now())),
    priceSource: createPriceSource({ feedUrl: `${ledger.url}/prices`, timeoutMs: 5000 }),
    durationBounds: defaultDurationBounds,
    blockMs: 1000,
    eventsKeptDays: 400,
    pause: () => Promise.resolve(),
    anchors: { record: () => Promise.resolve({}) } as never,
    outboxRelay: { deliver: () => undefined, deliverAll: () => Promise.resolve(0), close: () => Promise.resolve() },
  } as const;
  using recorded = recordStatements();

  await follower.catchUp();
  await ledger.mine(5);
  await follower.catchUp();
  await resubmitAndExpire(jobs, 'rollback');
  await sweep(jobs);
  await closeDueWindows({ ...context, onTransition: () => undefined }, instant(wallClock.now()));
  await refreshValuations(jobs, { step: 'prices', after: null });
  await service.sql.run`update address_scan set read_height = 0`;
  expect((await scanPage(jobs, null)).failures).toEqual(new Map());
  await ledger.rollback(2);
  await ledger.mine(4);
  await follower.catchUp();
  await sequenceBatch(db);
  await readBacklog(db);
  const report = await context.unitOfWork((transaction) => insertReconciliation(transaction, 'schedule'));
  const [vault] = await context.unitOfWork((transaction) => nextPlannedVaults(transaction, report, 20));
  if (!vault) throw new Error('the vault is not compared');
  await context.unitOfWork((transaction) => recordCompared(transaction, report, vault, []));
  await context.unitOfWork((transaction) => endReconciliation(transaction, report));
  await unendedWorkflows(db);

  const scans = await scansOf(service.sql, recorded.statements());
  expect(scans.filter((scan) => !mayScan(scan))).toEqual([]);
});

/** Creates a vault that waits for the price of its asset. */
async function heldVault(service: ApiService): Promise<void> {
  const owner = await service.fundedWallet({ Boat: '1' });
  const vaultId = await createVault(service, owner.address);
  const asset = { policy_id: owner.policyId, asset_name: 'Boat', valuation_method: 'floor_price', metadata: {} };
  const path = `/vaults/${vaultId}/assets`;
  expect(await service.api.post(path, { ...asset, wallet_address: owner.address })).toMatchObject({ status: 201 });
  await service.sql.run`update vaults set status = 'ACTIVE'`;
  await service.sql.run`update assets set status = 'LOCKED', locked_at = now()`;
  await service.sql.run`insert into holds (vault_id, reason, since) select id, 'price_unavailable', now()
      from vaults`;
}
