import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  change,
  context,
  longUnit,
  payer,
  ttlSlot,
  utxo,
  vault,
  verdict,
  wallet,
} from '../../../test/chain/sample-context.ts';
import { lovelace } from '../../platform/units/money.ts';
import { scriptAddress } from '../scripts/address.ts';
import { buildAssetPurchase, buildAssetSale } from './execution.ts';
import { sumHoldings } from './values.ts';
import { signedSize } from './draft.ts';
import { type Custody, custodyOutputs } from './custody.ts';
import { custodyScript } from '../scripts/vault-scripts.ts';
import type { Unit, Utxo } from '../transaction.ts';
import { signTransaction } from '../keys/witnesses.ts';
import { instant } from '../../platform/units/time.ts';

const [partner, first, second, stranger] = [wallet(1), wallet(2), wallet(3), wallet(4)];
const both = [first.key.keyHash, second.key.keyHash];
const art = longUnit(1);
const other = longUnit(2);

const custody: Custody = {
  address: vault.custodyAddress,
  script: vault.custody,
  vaultKeyHash: vault.key.keyHash,
  cosigners: both,
  allCosign: true,
};
const registeredScript = custodyScript({
  vaultKeyHash: vault.key.keyHash,
  cosigners: {
    required: 2,
    keyHashes: [...both, stranger.key.keyHash],
    alone: { from: instant(0), fromSlot: 900_000_000 },
  },
});
const registered: Custody = { ...custody, script: registeredScript, address: scriptAddress(registeredScript, 0) };
const everyone = [vault.key, partner.key, first.key, second.key];

const inCustody = (coin: bigint, unit?: Unit, from = custody) =>
  utxo(from.address, coin, unit === undefined ? [] : [[unit, 1n]]);
const sell = (price: bigint, { from = custody, sold = new Map([[art, 1n]]), buyerHas = 90_000_000n } = {}) =>
  buildAssetSale(context, {
    custody: from,
    utxos: [inCustody(1_500_000n, art, from)],
    assets: sold,
    price: lovelace(price),
    buyer: payer(partner, utxo(partner.address, buyerHas, [[other, 4n]])),
    ttlSlot,
  });
const buy = (price: bigint, vaultHas: readonly bigint[], sellerHas: readonly Utxo[], from = custody) =>
  buildAssetPurchase(context, {
    custody: from,
    utxos: vaultHas.map((coin) => inCustody(coin, undefined, from)),
    assets: new Map([[art, 1n]]),
    price: lovelace(price),
    seller: payer(partner, ...sellerHas),
    ttlSlot,
  });

describe('a sale', () => {
  test('pays exactly its price into custody and the asset to the buyer, who pays the fee', () => {
    const built = sell(50_000_000n);
    expect(change(built, custody.address)).toEqual({ coin: 50_000_000n, assets: [[art, -1n]] });
    expect(change(built, partner.address)).toEqual({ coin: -50_000_000n - built.fee, assets: [[art, 1n]] });
    expect(verdict(built, everyone)).toBe('accepted');
  });

  test('pays exactly its price even if that is below min-ADA', () => {
    const built = sell(1n);
    expect(change(built, custody.address).coin).toBe(1n);
    expect(verdict(built, everyone)).toBe('accepted');
  });

  test('leaves the other assets and the unsold part in custody', () => {
    const built = buildAssetSale(context, {
      custody,
      utxos: [
        utxo(custody.address, 3_000_000n, [
          [art, 10n],
          [other, 7n],
        ]),
      ],
      assets: new Map([[art, 4n]]),
      price: lovelace(5_000_000n),
      buyer: payer(partner, utxo(partner.address, 20_000_000n)),
      ttlSlot,
    });
    expect(change(built, custody.address)).toEqual({ coin: 5_000_000n, assets: [[art, -4n]] });
    expect(change(built, partner.address).assets).toEqual([[art, 4n]]);
    expect(verdict(built, everyone)).toBe('accepted');
  });

  test('is refused if custody does not hold the asset or the buyer lacks the ADA', () => {
    expect(() => sell(1n, { sold: new Map([[art, 2n]]) })).toThrow(RangeError);
    expect(() => sell(1n, { sold: new Map([[other, 1n]]) })).toThrow(RangeError);
    expect(() => sell(89_000_000n)).toThrow(expect.objectContaining({ code: 'INSUFFICIENT_FUNDS' }));
  });

  test('has a fee that covers the signatures it will contain', () => {
    const built = sell(50_000_000n);
    expect(signTransaction(built.cbor, everyone).length / 2).toBe(signedSize(built));
    expect(new Set(built.requiredSigners)).toEqual(new Set(everyone.map(({ keyHash }) => keyHash)));
  });
});

describe('the ledger requires every named signer', () => {
  test.each([
    ['vault', everyone.filter((key) => key !== vault.key)],
    ['buyer', everyone.filter((key) => key !== partner.key)],
    ['first cosigner', everyone.filter((key) => key !== first.key)],
    ['second cosigner', everyone.filter((key) => key !== second.key)],
    ['second cosigner, a stranger in their place', [vault.key, partner.key, first.key, stranger.key]],
  ])('a sale without the %s is refused', (_who, signers) => {
    expect(verdict(sell(50_000_000n), signers)).toBe('MissingVKeyWitnessesUTXOW');
    expect(verdict(sell(50_000_000n, { from: registered }), signers)).toBe('MissingVKeyWitnessesUTXOW');
  });

  test('the vault script itself requires k of n registered cosigners, so naming fewer fails', () => {
    expect(verdict(sell(50_000_000n, { from: registered }), everyone)).toBe('accepted');
    const alone = { ...registered, cosigners: [first.key.keyHash] };
    const built = sell(50_000_000n, { from: alone });
    expect(verdict(built, [vault.key, partner.key, first.key])).toBe('ScriptWitnessNotValidatingUTXOW');
    const foreign = sell(50_000_000n, { from: { ...registered, cosigners: [first.key.keyHash, partner.key.keyHash] } });
    expect(verdict(foreign, [vault.key, partner.key, first.key])).toBe('ScriptWitnessNotValidatingUTXOW');
  });

  test('a buyer can be a cosigner too', () => {
    const built = sell(50_000_000n, { from: { ...custody, cosigners: [partner.key.keyHash] } });
    expect(built.requiredSigners).toHaveLength(2);
    expect(verdict(built, [vault.key, partner.key])).toBe('accepted');
  });

  test('a vault without cosigners needs only the vault and the buyer to sign', () => {
    const built = sell(50_000_000n, { from: { ...custody, cosigners: [] } });
    expect(verdict(built, [vault.key, partner.key])).toBe('accepted');
    expect(verdict(built, [vault.key])).toBe('MissingVKeyWitnessesUTXOW');
  });
});

describe('a purchase', () => {
  const sellers = () => [
    utxo(partner.address, 2_000_000n, [
      [art, 1n],
      [other, 9n],
    ]),
    utxo(partner.address, 70_000_000n),
  ];

  test('pays the seller exactly its price and custody the asset in a separate output; the vault pays the fee', () => {
    const built = buy(30_000_000n, [40_000_000n, 8_000_000n], sellers());
    expect(change(built, partner.address)).toEqual({ coin: 30_000_000n, assets: [[art, -1n]] });
    expect(change(built, custody.address)).toEqual({ coin: -30_000_000n - built.fee, assets: [[art, 1n]] });
    expect(built.outputs[0]).toMatchObject({ address: custody.address, assets: new Map([[art, 1n]]) });
    expect(verdict(built, everyone)).toBe('accepted');
    expect(verdict(built, [vault.key, first.key, second.key])).toBe('MissingVKeyWitnessesUTXOW');
    expect(verdict(built, [vault.key, partner.key, first.key])).toBe('MissingVKeyWitnessesUTXOW');
  });

  test('spends only the seller outputs that hold the asset, and only the custody outputs it needs', () => {
    const built = buy(30_000_000n, [40_000_000n, 8_000_000n], sellers(), registered);
    expect(built.inputs).toHaveLength(2);
    expect(verdict(built, everyone)).toBe('accepted');
  });

  test('never spends the ADA that assets in custody need apart from each other, which the operator would have to pay when they leave', () => {
    const from = (...utxos: readonly Utxo[]) =>
      buildAssetPurchase(context, {
        custody,
        utxos,
        assets: new Map([[art, 1n]]),
        price: lovelace(5_000_000n),
        seller: payer(partner, ...sellers()),
        ttlSlot,
      });
    const assets = new Map(Array.from({ length: 20 }, (_, number): [Unit, bigint] => [longUnit(10 + number), 1n]));
    const held = custodyOutputs(context.parameters, custody, assets).map((one) =>
      utxo(custody.address, one.lovelace, one.assets),
    );
    expect(() => from(...held)).toThrow(expect.objectContaining({ code: 'INSUFFICIENT_FUNDS' }));
    // What a sale has left beside two assets is the vault's; both lie apart afterwards.
    const [one, two] = [longUnit(4), longUnit(5)];
    const proceeds = utxo(custody.address, 20_000_000n, [
      [one, 1n],
      [two, 1n],
    ]);
    const built = from(...held, proceeds);
    expect(built.inputs.filter(({ address }) => address === custody.address)).toEqual([proceeds]);
    const apart = built.outputs.filter(({ assets }) => assets.has(one) || assets.has(two));
    expect(apart.map((output) => output.assets.size)).toEqual([1, 1]);
    expect(change(built, custody.address)).toEqual({ coin: -5_000_000n - built.fee, assets: [[art, 1n]] });
    expect(verdict(built, everyone)).toBe('accepted');
  });

  test('is refused if the seller lacks the asset or the vault lacks the ADA', () => {
    expect(() => buy(1_000_000n, [40_000_000n], [utxo(partner.address, 9_000_000n)])).toThrow(
      expect.objectContaining({ code: 'ASSET_NOT_IN_WALLET' }),
    );
    // What the seller brings and keeps is none of the vault's need.
    const details = { required: expect.stringMatching(/^32\d{6}$/) as unknown, available: '30000000' };
    expect(() => buy(30_000_000n, [30_000_000n], sellers())).toThrow(
      expect.objectContaining({ code: 'INSUFFICIENT_FUNDS', details }),
    );
  });
});

test('any sale or purchase moves exactly its asset and its price, and nothing is lost', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 12n });
  fc.assert(
    fc.property(amount, amount, fc.bigInt({ min: 1_400_000n, max: 10n ** 10n }), (price, spare, coin) => {
      const sale = sell(price, { buyerHas: price + spare + 5_000_000n });
      const purchase = buy(price, [price + spare + 6_000_000n], [utxo(partner.address, coin, [[art, 1n]])]);
      expect(change(sale, custody.address).coin).toBe(price);
      expect(change(purchase, partner.address).coin).toBe(price);
      for (const built of [sale, purchase]) {
        expect(sumHoldings(built.outputs).lovelace + built.fee).toBe(sumHoldings(built.inputs).lovelace);
        expect(verdict(built, everyone)).toBe('accepted');
      }
    }),
    { numRuns: 40 },
  );
});
