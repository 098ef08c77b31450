import { expect, test } from '@jest/globals';
import { createPriceSource } from '../../src/cardano/price-source.ts';
import { wallClock, defaultDurationBounds } from '../../src/platform/units/time.ts';
import { ServiceError } from '../../src/platform/errors.ts';
import { priceAssets } from '../../src/settlement/plan-settlement.ts';
import { wakeHeldVaults } from '../../src/vaults/wake-held-vaults.ts';
import { keys } from '../chain/sample-context.ts';
import { submitDirectly } from '../vault-lifecycle/direct-submission.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { followerOf } from './follower-service.ts';

interface Deposited {
  readonly data: { readonly transaction: { readonly unsignedTx: string } };
}

const hexOf = (name: string) => Buffer.from(name).toString('hex');

/** One more of an asset, so that it is no NFT. */
async function mintAnother({ ledger }: ApiService, address: string, name: string): Promise<void> {
  await ledger.faucet({ address, assets: [{ assetNameHex: hexOf(name), quantity: '1' }] });
  await ledger.mine();
}

/** A vault with NFTs in a block that is not followed yet. */
async function depositNfts(service: ApiService, names: readonly string[]) {
  const owner = await service.fundedWallet(Object.fromEntries(names.map((name) => [name, '1'])));
  const body = vaultBody(owner.address);
  const made = await service.api.post<{ vault_id: string }>('/vaults', body);
  const vaultId = made.body.vault_id;
  const deposit = await service.api.post<Deposited>(`/vaults/${vaultId}/deposits`, {
    walletAddress: owner.address,
    assets: names.map((assetName) => ({ policyId: owner.policyId, assetName })),
  });
  expect(deposit.status).toBe(201);
  await submitDirectly(service, owner, deposit.body.data.transaction.unsignedTx);
  await service.ledger.mine();
  return { owner, vaultId };
}

async function assetsOf({ sql }: ApiService, vaultId: string) {
  const rows = await sql.run<{ name: string; status: string; type: string; unchecked: boolean }>`
       select convert_from(decode(asset_name, 'hex'), 'utf8') as name, status, type, supply_unchecked as unchecked
       from assets where vault_id = ${vaultId} order by name`;
  return rows.map(({ name, status, type, unchecked }) => `${name} ${status} ${type}${unchecked ? ' unchecked' : ''}`);
}

async function heldFor({ sql }: ApiService): Promise<string[]> {
  return (await sql.run<{ reason: string }>`select reason from holds`).map(({ reason }) => reason);
}

async function wakings({ sql }: ApiService): Promise<number> {
  return (await sql.run`select 1 from workflow_notices where message ->> 'signal' = 'pricesChanged'`).length;
}

/** The follower and the pricing of a service, on a ledger that is silent about the supply of some assets, by name. */
function onSilentLedger(service: ApiService) {
  const follower = followerOf(service);
  const { context } = follower;
  const silent = new Map<string, 'no answer' | 'not found'>();
  const [asked, reported] = [[] as string[], [] as string[]];
  const nameOf = (hex: string) => Buffer.from(hex, 'hex').toString();
  const { ledger } = context;
  context.ledger = {
    ...ledger,
    assetSupply: async (unit) => {
      const name = nameOf(unit.slice(56));
      asked.push(name);
      if (silent.get(name) === 'no answer') throw new ServiceError('LEDGER_UNAVAILABLE');
      return silent.has(name) ? null : ledger.assetSupply(unit);
    },
  };
  context.onUnknownSupply = ({ assetName }) => {
    reported.push(nameOf(assetName));
  };
  const pricing = {
    ...context,
    keys,
    priceSource: createPriceSource({ feedUrl: `${service.ledger.url}/prices` }),
    durationBounds: defaultDurationBounds,
    readingTime: () => Promise.resolve(wallClock.now()),
  };
  return {
    silent,
    reported,
    catchUp: () => follower.catchUp(),
    price: (vaultId: string) => priceAssets(pricing, { vaultId, now: wallClock.now() }),
    wake: () => wakeHeldVaults(pricing),
    /** The assets whose supply was asked for since the last call. */
    takeAsked: () => asked.splice(0).sort(),
  };
}

test('an NFT whose supply the ledger cannot give stops no block; it has no price until its supply is known', async () => {
  await using service = await apiService();
  const { silent, reported, catchUp, price, wake, takeAsked } = onSilentLedger(service);
  await catchUp();
  const { owner, vaultId } = await depositNfts(service, ['Ash', 'Elm', 'Fir', 'Oak']);
  for (const name of ['Elm', 'Fir']) await mintAnother(service, owner.address, name);
  silent.set('Ash', 'no answer').set('Fir', 'not found');

  await catchUp();
  expect(await assetsOf(service, vaultId)).toEqual([
    'Ash LOCKED NFT unchecked',
    'Elm LOCKED CNT',
    'Fir LOCKED NFT unchecked',
    'Oak LOCKED NFT',
  ]);
  expect(reported.sort()).toEqual(['Ash', 'Fir']);

  takeAsked();
  silent.delete('Fir');
  await mintAnother(service, owner.address, 'Oak');
  expect(await price(vaultId)).toBe(false);
  expect(takeAsked()).toEqual(['Ash', 'Fir']);
  expect(await assetsOf(service, vaultId)).toEqual([
    'Ash LOCKED NFT unchecked',
    'Elm LOCKED CNT',
    'Fir LOCKED CNT',
    'Oak LOCKED NFT',
  ]);
  expect(await heldFor(service)).toEqual(['price_unavailable']);
  await wake();
  expect([takeAsked(), await wakings(service)]).toEqual([['Ash'], 0]);

  silent.clear();
  await wake();
  expect([takeAsked(), await wakings(service)]).toEqual([['Ash'], 1]);
  expect(await price(vaultId)).toBe(true);
  expect(takeAsked()).toEqual([]);
  expect(await heldFor(service)).toEqual([]);
  const rows = await service.sql.run`select 1 from assets where counted_price is not null`;
  expect(rows).toHaveLength(4);
});
