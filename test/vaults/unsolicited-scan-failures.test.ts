import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { type Instant, instant, secondsAfter } from '../../src/platform/units/time.ts';
import { type ScanPosition, scanVaults, timeLimit } from '../../src/ledger-follower/unsolicited/scan-vaults.ts';
import { scanNews, scanPage } from '../../src/ledger-follower/unsolicited/watch-addresses.ts';
import { followLedger } from '../../src/ledger-follower/follow-ledger.ts';
import { startReconciliation } from '../../src/books/reconciliation.ts';
import { nextPlannedVaults } from '../../src/books/queries/reconciliations.ts';
import {
  beginPass,
  endOfPass,
  endPass,
  vaultParticipants,
  vaultsOnLedger,
} from '../../src/ledger-follower/queries/unsolicited-scan-targets.ts';
import { seedStakes } from '../governance/seed-stakes.ts';
import { createNetworkStateCache } from '../../src/cardano/ledger/network-state.ts';
import { followerOf } from '../follower/follower-service.ts';
import { person } from '../vault-lifecycle/participants.ts';
import { waitForVaultStatus, createVault } from '../vault-lifecycle/vault-requests.ts';
import { testStack } from '../stack/test-stack.ts';
import { type ApiService, apiService } from './api-service.ts';
import { addressesOf, listUnsolicited, scanUnsolicited, sendUnsolicited } from './unsolicited-scan.ts';

test('a scan continues past a vault that it cannot scan, and its error names that vault', async () => {
  await using stack = await testStack();
  const owner = person(421);
  const [broken, whole] = [await createVault(stack, owner.address), await createVault(stack, owner.address)];
  for (const vaultId of [broken, whole]) await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const { custody } = await addressesOf(stack, whole, '00'.repeat(28));
  const gift = await sendUnsolicited(stack, custody);
  await stack.sql.run`update vaults set contract_address = 'nowhere' where id = ${broken}`;

  const failure = await scanUnsolicited(stack).catch((error: unknown) => error);

  expect(failure).toHaveProperty('cause.cause.message', expect.stringContaining(`could not scan ${broken};`));
  expect(broken < whole).toBe(true);
  expect((await listUnsolicited(stack, whole)).map(({ txHash }) => txHash)).toEqual([gift]);
});

test('the address of a stake returned long ago is scanned only while an unsolicited output is listed there', async () => {
  await using service = await apiService();
  const { address } = await service.fundedWallet();
  const vaultId = await createVault(service, address);
  const now = instant(new Date());
  const wallets = ['held', 'just back', 'long back', 'long back with a gift', 'long back with a gift gone'];
  await seedStakes(
    service.sql,
    vaultId,
    wallets.map((wallet) => ({ wallet, tokens: 1 })),
    new Date(now),
  );
  await service.sql.run`update stakes set script_address = wallet`;
  await service.sql.run`update stakes set status = 'RELEASED', release_reason = 'unstaked',
      updated_at = case when wallet = 'just back' then ${new Date(secondsAfter(now, -86_400))}::timestamptz else ${new Date(secondsAfter(now, -40 * 86_400))} end where wallet <> 'held'`;
  await service.sql.query(
    `insert into unsolicited_outputs (tx_hash, output_index, vault_id, place, address, lovelace, assets, seen_at, gone_at)
      select md5(wallet), 0, vault_id, 'stake', script_address, 1, '[]', $1,
        case when wallet like '%gone' then $1::timestamptz end
      from stakes where wallet like '%gift%'`,
    [new Date(secondsAfter(now, -35 * 86_400))],
  );

  const { stakeAddresses } = await vaultParticipants(service.db, vaultId, now);

  expect(stakeAddresses).toEqual(['held', 'just back', 'long back with a gift']);

  // A stake may be taken back a year after the vault has ended, and the books have to see it.
  const { context } = followerOf(service);
  const isWatched = async () => {
    const scanned = await vaultsOnLedger(service.db, { after: null, limit: 10 }, now);
    const report = await startReconciliation(context, 'operator');
    const compared = await context.unitOfWork((transaction) => nextPlannedVaults(transaction, report, 10));
    return [scanned.map(({ id }) => id).includes(vaultId), compared.map(({ vaultId }) => vaultId).includes(vaultId)];
  };
  await service.sql.run`update vaults
      set status = 'TERMINATED', termination_reason = 'liquidated',
      terminated_at = ${new Date(secondsAfter(now, -40 * 86_400))} where id = ${vaultId}`;
  await service.sql.run`update unsolicited_outputs set gone_at = ${new Date(now)}`;
  expect(await isWatched()).toEqual([true, true]);
  await service.sql.run`update stakes set status = 'RELEASED', release_reason = 'unstaked'`;
  expect(await isWatched()).toEqual([false, false]);
});

/** An active vault with this number of investors. */
async function vaultOfMany({ api, sql }: ApiService, investors: number): Promise<string> {
  const vaultId = await createVault({ api }, person(430).address);
  await sql.run`update vaults set status = 'ACTIVE' where id = ${vaultId}`;
  for (let number = 0; number < investors; number += 1)
    await sql.run`insert into investments (id, vault_id, wallet, lovelace, delivery_deposit, status, transaction_id,
       created_at, updated_at)
       select ${randomUUID()}, ${vaultId}, ${person(431 + number).address}, 1, 0, 'CONFIRMED', (select id from chain_transactions limit 1), now(), now()`;
  return vaultId;
}

test('a vault with more addresses than time is scanned in parts, and those after it are scanned too', async () => {
  await using service = await apiService();
  const [large, small] = [await vaultOfMany(service, 50), await vaultOfMany(service, 0)];
  const { context } = followerOf(service);
  let now: Instant = instant(0);
  const asked: string[] = [];
  const ledger: typeof context.ledger = {
    ...context.ledger,
    utxos(address) {
      asked.push(address);
      now = secondsAfter(now, 35);
      return context.ledger.utxos(address);
    },
  };
  const scanning = {
    ...context,
    ledger,
    networkId: 0,
    networkState: createNetworkStateCache({ ledger, networkId: 0 }),
    readingTime: () => Promise.resolve(instant(new Date())),
  } as const;
  const scan = async () => {
    const within: (string | undefined)[] = [];
    for (let next: ScanPosition | null = { vaultId: null, within: null }; next !== null;) {
      const page = await scanVaults(scanning, next, { until: null, isTimeUp: timeLimit({ now: () => now }) });
      expect(page.failures).toEqual(new Map());
      next = page.next;
      within.push(next?.within?.vaultId);
    }
    return within;
  };

  expect(await scan()).toEqual([large, large, undefined]);
  const addresses = [...new Set(asked)];
  expect([asked.length, addresses.length]).toEqual([58, 58]);
  // One output in each part of the large vault, and one in the other vault.
  for (const address of [0, 20, 40, 54].map((at) => addresses[at] ?? ''))
    await service.ledger.faucet({ address, lovelace: '5000000' });
  await service.ledger.mine(5);
  const listed = async () => {
    const counts = await Promise.all([large, small].map(async (id) => (await listUnsolicited(service, id)).length));
    const rows = await service.sql.run`select 1 from unsolicited_outputs where gone_at is not null`;
    return [...counts, rows.length];
  };
  for (const _ of ['found', 'still there']) {
    await scan();
    expect(await listed()).toEqual([3, 1, 0]);
  }
});

/** A scan whose calls of the ledger are recorded. */
function recordingScan(service: ApiService) {
  const { context } = followerOf(service);
  const asked: string[] = [];
  const ledger: typeof context.ledger = {
    ...context.ledger,
    utxos(address) {
      asked.push(address);
      return context.ledger.utxos(address);
    },
  };
  const scanning = {
    ...context,
    ledger,
    networkId: 0,
    networkState: createNetworkStateCache({ ledger, networkId: 0 }),
    readingTime: () => Promise.resolve(instant(new Date())),
  } as const;
  /** Reads new blocks, at most ten of them gone, and scans what they touched; returns the addresses that were asked for. */
  const scanTouched = async () => {
    while ((await followLedger({ ...context, maxRollback: 10 })) !== 'nothing');
    asked.length = 0;
    const { failures, isListed } = await scanNews(scanning, () => false);
    expect([failures, isListed]).toEqual([new Map(), true]);
    return [...asked];
  };
  return { scanning, scanTouched, asked };
}

test('a scan asks only for addresses that final blocks touched, and again after these were rolled back', async () => {
  await using service = await apiService();
  const vaultId = await vaultOfMany(service, 0);
  await vaultOfMany(service, 0);
  await service.sql.run`update windows set status = 'ACTIVE', starts_at = now() - interval '1 h'`;
  const { scanTouched, scanning, asked } = recordingScan(service);
  const { ledger, api } = service;
  const { custody, liquidity } = await addressesOf(service, vaultId, '00'.repeat(28));
  const status = async () => (await listUnsolicited(service, vaultId)).map((output) => [output.place, output.status]);
  await ledger.mine(5);
  expect(await scanTouched()).toEqual([]);

  await ledger.faucet({ address: custody, lovelace: '5000000' });
  await ledger.mine(1);
  expect(await scanTouched()).toEqual([]);
  await ledger.mine(2);
  expect(await scanTouched()).toEqual([custody]);
  expect(await status()).toEqual([['custody', 'PRESENT']]);
  await ledger.mine(5);
  expect(await scanTouched()).toEqual([]);

  const investor = await service.fundedWallet();
  const body = { walletAddress: investor.address, lovelace: 5_000_000 };
  expect(await api.post(`/vaults/${vaultId}/investments`, body)).toMatchObject({ status: 201 });
  const { deposit } = await addressesOf(service, vaultId, investor.keyHash);
  for (const address of [deposit, liquidity]) await ledger.faucet({ address, lovelace: '5000000' });
  await ledger.mine(3);
  expect((await scanTouched()).sort()).toEqual([deposit, liquidity].sort());
  expect((await listUnsolicited(service, vaultId)).map(({ depositor }) => depositor)).toContain(investor.address);

  await ledger.rollback(3);
  await ledger.mine(5);
  expect((await scanTouched()).sort()).toEqual([deposit, liquidity].sort());
  expect((await status()).sort()).toEqual([
    ['custody', 'PRESENT'],
    ['deposit', 'GONE'],
    ['liquidity', 'GONE'],
  ]);

  // A backend may not list the addresses of a block: then every address is asked for, after those whose spender is still searched.
  asked.length = 0;
  await ledger.mine(3);
  await followerOf(service).catchUp();
  const unlisted = { ...scanning.ledger, blockAddresses: () => Promise.resolve(null) };
  await service.sql.run`update address_scan set pass_after = (select id from vaults order by id desc limit 1)`;
  expect(await scanPage({ ...scanning, ledger: unlisted }, null)).toMatchObject({ next: null, scanned: 3 });
  expect(asked.length).toBeGreaterThanOrEqual(8);
});

test('outputs of a transaction that were damaged keep no address of another vault from being watched', async () => {
  await using service = await apiService();
  const [damaged, vaultId] = [await vaultOfMany(service, 0), await vaultOfMany(service, 0)];
  await service.sql.run`update chain_transactions set created_at = created_at - interval '1 hour'`;
  const damage = `update chain_transactions set outputs = $2 where vault_id = $1`;
  const { scanning } = recordingScan(service);
  const watched = async () => {
    await scanNews(scanning, () => false);
    const rows = await service.sql.run`select from watched_addresses where vault_id = ${vaultId}`;
    return rows.length > 0;
  };
  for (const outputs of ['"none"', '{}', '[null, {"address": null}]']) {
    await service.sql.run`delete from watched_addresses`;
    await service.sql.run`update address_scan set watched_until = null`;
    await service.sql.query(damage, [damaged, outputs]);
    expect([outputs, await watched()]).toEqual([outputs, true]);
  }
});

test('all vaults are scanned in parts, one after the other, and then from the first again', async () => {
  await using service = await apiService();
  const vaults = [];
  for (let made = 0; made < 5; made += 1) vaults.push(await vaultOfMany(service, 0));
  const { scanning } = recordingScan(service);
  const parts = [];
  for (let part = 0; part < 4; part += 1) {
    const after = await beginPass(service.db, { parts: 48, atLeast: 2, isWhole: false });
    const until = await endOfPass(service.db);
    parts.push([after, until]);
    const { next, scanned } = await scanVaults(
      scanning,
      { vaultId: after, within: null },
      { until, isTimeUp: () => false },
    );
    expect([next, scanned]).toEqual([null, [2, 2, 1, 2][part]]);
    await endPass(service.db);
  }
  expect(parts).toEqual([
    [null, vaults[1]],
    [vaults[1], vaults[3]],
    [vaults[3], null],
    [null, vaults[1]],
  ]);

  // A row that cannot be read keeps no other vault from being scanned.
  const [, unreadable = ''] = vaults;
  await service.sql.run`update vaults set governance = '{}' where id = ${unreadable}`;
  const { failures, scanned } = await scanVaults(
    scanning,
    { vaultId: null, within: null },
    { until: null, isTimeUp: () => false },
  );
  expect([[...failures.keys()], scanned]).toEqual([[unreadable], 5]);
  expect(failures.get(unreadable)).toMatchObject({ name: 'UnreadableRow', table: 'vaults', id: unreadable });
});
