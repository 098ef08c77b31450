import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createNetworkStateCache } from '../../src/cardano/ledger/network-state.ts';
import { ServiceError } from '../../src/platform/errors.ts';
import { type Instant, instant } from '../../src/platform/units/time.ts';
import { scanNews } from '../../src/ledger-follower/unsolicited/watch-addresses.ts';
import { followerOf } from '../follower/follower-service.ts';
import { type ApiService, apiService, newWallet } from './api-service.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

async function activeVault({ api, sql }: ApiService): Promise<string> {
  const vaultId = await createVault({ api }, newWallet().address);
  await sql.run`update vaults set status = 'ACTIVE' where id = ${vaultId}`;
  return vaultId;
}

/** Reads the news of a ledger at an instant; returns what came of it, and the vaults that cannot be read. */
async function readNews(service: ApiService, { now = instant(new Date()), ...answers }: NewsOptions = {}) {
  const { context } = followerOf(service);
  const unreadable: string[] = [];
  const ledger = { ...context.ledger, ...answers };
  const networkState = createNetworkStateCache({ ledger, networkId: 0 });
  const readingTime = () => Promise.resolve(now);
  const onUnreadable = ({ id }: { readonly id: string }) => void unreadable.push(id);
  const scanning = { ...context, ledger, networkId: 0, networkState, readingTime, onUnreadable } as const;
  return { unreadable, ...(await scanNews(scanning, () => false)) };
}

interface NewsOptions {
  readonly now?: Instant;
  readonly blockAddresses?: (hash: string) => Promise<readonly string[] | null>;
}

async function watchedVaults({ sql }: ApiService): Promise<string[]> {
  const rows = await sql.run<{ id: string }>`select distinct vault_id as id from watched_addresses`;
  return rows.map(({ id }) => id);
}

test('a key that is none, and an address of any length, keep no address of another vault from being watched', async () => {
  await using service = await apiService();
  const [damaged, vaultId] = [await activeVault(service), await activeVault(service)];
  await service.sql.run`update chain_transactions set created_at = created_at - interval '1 hour'`;
  const read = async (damage: string, ...values: unknown[]) => {
    await service.sql.run`delete from watched_addresses`;
    await service.sql.run`update address_scan set watched_until = null`;
    await service.sql.query(damage, [damaged, ...values]);
    const { unreadable } = await readNews(service);
    return [unreadable, await watchedVaults(service)];
  };

  expect(await read(`update vaults set vault_key_hash = 'none' where id = $1`)).toEqual([[damaged], [vaultId]]);
  const made = JSON.stringify([{ address: randomBytes(6000).toString('hex') }]);
  const invest = `update chain_transactions set kind = 'invest', outputs = $2 where vault_id = $1`;
  expect(await read(invest, made)).toEqual([[], [vaultId]]);
});

test('addresses that came after a clock was ahead are watched with the next scan', async () => {
  await using service = await apiService();
  const first = await activeVault(service);
  await readNews(service, { now: instant(Date.now() + 30 * 86_400_000) });
  expect(await watchedVaults(service)).toEqual([first]);
  const later = await activeVault(service);
  await readNews(service);
  expect((await watchedVaults(service)).toSorted()).toEqual([first, later].toSorted());
});

test('one backend that does not list the addresses of a block yet has not every address of every vault asked for', async () => {
  await using service = await apiService();
  const { ledger } = followerOf(service).context;
  await service.ledger.mine(5);
  await followerOf(service).catchUp();
  expect(await readNews(service)).toMatchObject({ isListed: true, failures: new Map() });
  await service.ledger.mine(1);
  await followerOf(service).catchUp();

  const rows = await service.sql.run<{ hash: string }>`select hash from blocks order by height limit 1`;
  const behind = (hash: string) => (hash === rows[0]?.hash ? ledger.blockAddresses(hash) : Promise.resolve(null));
  const { isListed, failures } = await readNews(service, { blockAddresses: behind });
  expect([isListed, failures]).toEqual([true, new Map([['blocks', expect.any(ServiceError)]])]);
  expect(await readNews(service)).toMatchObject({ isListed: true, failures: new Map() });
  await service.ledger.mine(1);
  await followerOf(service).catchUp();
  expect(await readNews(service, { blockAddresses: () => Promise.resolve(null) })).toMatchObject({ isListed: false });
});
