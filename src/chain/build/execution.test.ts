import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { context, longUnit, payer, ttlSlot, utxo, vault, verdict, wallet } from '../../../test/chain/sample-context.ts';
import { type Lovelace, lovelace } from '../../domain/units/money.ts';
import { scriptAddress } from '../scripts/address.ts';
import { buildAssetReturn, buildAssetStaking } from './asset-staking.ts';
import { buildAssetPurchase } from './asset-purchase.ts';
import { buildAssetSale } from './asset-sale.ts';
import { sumHoldings } from './values.ts';
import { signedSize } from './costs.ts';
import type { Custody } from './custody.ts';
import { custodyScript } from '../scripts/vault-scripts.ts';
import type { BuiltTransaction, Unit, Utxo } from '../transaction.ts';
import { signTransaction } from '../keys/witnesses.ts';

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
  cosigners: { required: 2, keyHashes: [...both, stranger.key.keyHash], alone: null },
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

/** What a transaction changes at an address: lovelace, and each asset. */
function change({ inputs, outputs }: BuiltTransaction, address: string): { coin: bigint; assets: [Unit, bigint][] } {
  const at = (side: readonly { address: string; lovelace: Lovelace; assets: ReadonlyMap<Unit, bigint> }[]) =>
    sumHoldings(side.filter((one) => one.address === address));
  const [before, after] = [at(inputs), at(outputs)];
  const units = [...new Set([...before.assets.keys(), ...after.assets.keys()])];
  const moved = units.map((unit): [Unit, bigint] => [
    unit,
    (after.assets.get(unit) ?? 0n) - (before.assets.get(unit) ?? 0n),
  ]);
  return { coin: after.lovelace - before.lovelace, assets: moved.filter(([, quantity]) => quantity !== 0n) };
}

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

describe('staked assets', () => {
  const pool = wallet(9);
  const assets = new Map([
    [art, 1n],
    [other, 1n],
  ]);
  const cosigned = [vault.key, first.key, second.key];

  const operator = payer(stranger, utxo(stranger.address, 50_000_000n));
  const outputAt = (at: string, coin: bigint) => utxo(at, coin, [...assets]);

  test('go to the staking address with the ADA of their output, and the payer pays the fee', () => {
    const holding = [inCustody(1_500_000n, art), inCustody(1_500_000n, other)];
    const built = buildAssetStaking(context, {
      custody,
      payer: operator,
      holding,
      assets,
      stakingAddress: pool.address,
      ttlSlot,
    });
    expect(new Map(change(built, pool.address).assets)).toEqual(assets);
    expect(built.outputs[0]?.address).toBe(pool.address);
    const lacking = change(built, pool.address).coin + change(built, custody.address).coin;
    expect(change(built, stranger.address)).toEqual({ coin: 0n - built.fee - lacking, assets: [] });
    expect(lacking).toBe(0n);
    expect(verdict(built, [...cosigned, stranger.key])).toBe('accepted');
    expect(verdict(built, [vault.key, first.key, stranger.key])).toBe('MissingVKeyWitnessesUTXOW');
  });

  test('return to custody in separate outputs, each with the ADA of its output', () => {
    const back = (coin: bigint) =>
      buildAssetReturn(context, {
        custody,
        payer: operator,
        holder: payer(pool, outputAt(pool.address, coin)),
        assets,
        ttlSlot,
      });
    const built = back(2_600_000n);
    expect(new Map(change(built, custody.address).assets)).toEqual(assets);
    expect(change(built, pool.address).coin).toBe(-2_600_000n);
    expect(change(built, stranger.address).coin).toBe(0n - built.fee);
    expect(built.outputs.slice(0, 2).map((output) => output.assets.size)).toEqual([1, 1]);
    expect(verdict(built, [...cosigned, pool.key, stranger.key])).toBe('accepted');
    expect(verdict(built, [...cosigned, stranger.key])).toBe('MissingVKeyWitnessesUTXOW');
    // Who has more beside them keeps it; who has less is helped.
    const [rich, poor] = [back(20_000_000n), back(1_800_000n)];
    expect(change(rich, pool.address).coin).toBe(-change(rich, custody.address).coin);
    expect(change(rich, stranger.address).coin).toBe(0n - rich.fee);
    expect(change(poor, custody.address).coin).toBe(change(rich, custody.address).coin);
    expect(verdict(poor, [...cosigned, pool.key, stranger.key])).toBe('accepted');
  });

  test('any staking and return costs only the payer, and loses no asset and no ADA', () => {
    const coin = fc.bigInt({ min: 1_300_000n, max: 10n ** 9n });
    const beside = fc.bigInt({ min: 0n, max: 1000n });
    fc.assert(
      fc.property(coin, beside, (lovelaceHeld, tokens) => {
        const mixed = (at: string) =>
          utxo(at, lovelaceHeld, [[art, 1n], ...(tokens > 0n ? [[other, tokens] as [Unit, bigint]] : [])]);
        const moving = new Map([[art, 1n]]);
        const move = { custody, payer: operator, assets: moving, ttlSlot };
        const out = buildAssetStaking(context, {
          ...move,
          holding: [mixed(custody.address)],
          stakingAddress: pool.address,
        });
        const back = buildAssetReturn(context, { ...move, holder: payer(pool, mixed(pool.address)) });
        for (const [built, from, to, signers] of [
          [out, custody.address, pool.address, cosigned],
          [back, pool.address, custody.address, [...cosigned, pool.key]],
        ] as const) {
          expect(change(built, from).assets).toEqual([[art, -1n]]);
          expect(change(built, to).assets).toEqual([[art, 1n]]);
          expect(change(built, stranger.address).assets).toEqual([]);
          expect(change(built, from).coin + change(built, to).coin).toBeGreaterThanOrEqual(0n);
          expect(change(built, stranger.address).coin).toBeLessThanOrEqual(0n - built.fee);
          expect(verdict(built, [...signers, stranger.key])).toBe('accepted');
        }
      }),
      { numRuns: 40 },
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
