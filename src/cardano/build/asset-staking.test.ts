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
import { type AssetStaking, buildAssetReturn, buildAssetStaking } from './staking.ts';
import { separateOutputs } from './outputs.ts';
import { sumHoldings } from './values.ts';
import { type Custody, custodyOutputs } from './custody.ts';
import type { Unit, Utxo } from '../transaction.ts';

const [first, second, stranger] = [wallet(2), wallet(3), wallet(4)];
const [art, other] = [longUnit(1), longUnit(2)];

const custody: Custody = {
  address: vault.custodyAddress,
  script: vault.custody,
  vaultKeyHash: vault.key.keyHash,
  cosigners: [first.key.keyHash, second.key.keyHash],
  allCosign: true,
};
const inCustody = (coin: bigint, unit: Unit) => utxo(custody.address, coin, [[unit, 1n]]);

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
    // Who has more beside them keeps it; who has less has to bring it: the payer would give it to the vault again and again.
    const rich = back(20_000_000n);
    expect(change(rich, pool.address).coin).toBe(-change(rich, custody.address).coin);
    expect(change(rich, stranger.address).coin).toBe(0n - rich.fee);
    expect(() => back(1_800_000n)).toThrow(
      expect.objectContaining({
        code: 'INSUFFICIENT_FUNDS',
        details: expect.objectContaining({ available: '1800000' }) as unknown,
      }),
    );
  });

  test('take ADA of the operator along once, which they bring back, however they go and return', () => {
    const smallest = custodyOutputs(context.parameters, custody, assets).map((one) =>
      utxo(custody.address, one.lovelace, one.assets),
    );
    const [one, two] = smallest.map((output) => ({ holding: [output], assets: output.assets }));
    if (!one || !two) throw new Error('two assets lie apart');
    const together = { holding: smallest, assets };
    const staked = ({ holding, assets: going }: Pick<AssetStaking, 'holding' | 'assets'>) => {
      const built = buildAssetStaking(context, {
        custody,
        payer: operator,
        holding,
        assets: going,
        stakingAddress: pool.address,
        ttlSlot,
      });
      return { built, added: 0n - built.fee - change(built, stranger.address).coin };
    };
    const inPool = staked(together);
    const held = inPool.built.outputs.filter(({ address }) => address === pool.address);
    const returned = (returning: ReadonlyMap<Unit, bigint>) =>
      buildAssetReturn(context, {
        custody,
        payer: operator,
        holder: payer(pool, ...held.map((output) => utxo(pool.address, output.lovelace, output.assets))),
        assets: returning,
        ttlSlot,
      }).outputs.flatMap((output) => (output.address === custody.address ? [output] : []));
    const alone = staked(one).added + staked(two).added;
    // 28 bytes that an address of a wallet is longer than that of a script.
    expect([alone, inPool.added]).toEqual([2n * 28n * 4_310n, 2n * 28n * 4_310n]);
    const back = returned(assets);
    expect(sumHoldings(back).lovelace).toBe(sumHoldings(smallest).lovelace + alone);
    const again = back.map((output) => utxo(custody.address, output.lovelace, output.assets));
    expect(again.map((output) => staked({ holding: [output], assets: output.assets }).added)).toEqual([0n, 0n]);
    expect(staked({ holding: again, assets }).added).toBe(0n);
  });

  test('cost the operator nothing but fees, however many go and return together, and whatever the holder has beside them', () => {
    const many = new Map(Array.from({ length: 30 }, (_, number): [Unit, bigint] => [longUnit(number), 1n]));
    const holding = separateOutputs(context.parameters, pool.address, many).map((one) =>
      utxo(custody.address, one.lovelace, one.assets),
    );
    const move = { custody, payer: operator, assets: many, ttlSlot };
    const out = buildAssetStaking(context, { ...move, holding, stakingAddress: pool.address });
    expect(change(out, stranger.address).coin).toBe(0n - out.fee);
    expect(change(out, pool.address).coin).toBe(sumHoldings(holding).lovelace);
    const staked = out.outputs.filter(({ address }) => address === pool.address);
    const held = staked.map((one) => utxo(pool.address, one.lovelace, one.assets));
    const back = buildAssetReturn(context, { ...move, holder: payer(pool, ...held) });
    expect(change(back, stranger.address).coin).toBe(0n - back.fee);
    expect(change(back, custody.address).coin).toBe(sumHoldings(holding).lovelace);
    expect(verdict(back, [...cosigned, pool.key, stranger.key])).toBe('accepted');

    // Tokens of the holder in the same output stay there with ADA of the holder.
    const mixed = held.map((one) => ({ ...one, assets: new Map([...one.assets, [longUnit(99), 5n] as const]) }));
    const returned = (...others: readonly Utxo[]) =>
      buildAssetReturn(context, { ...move, holder: payer(pool, ...mixed, ...others) });
    expect(() => returned()).toThrow(expect.objectContaining({ code: 'INSUFFICIENT_FUNDS' }));
    const helped = returned(utxo(pool.address, 4_000_000n));
    expect(change(helped, stranger.address).coin).toBe(0n - helped.fee);
    expect(change(helped, pool.address).coin).toBe(0n - sumHoldings(holding).lovelace);
  });

  test('take what the vault has above their need along once: after their return they have just what they need', () => {
    const one = new Map([[art, 1n]]);
    const need = sumHoldings(separateOutputs(context.parameters, pool.address, one)).lovelace;
    const move = { custody, payer: operator, assets: one, ttlSlot };
    const out = (coin: bigint) =>
      buildAssetStaking(context, { ...move, holding: [inCustody(coin, art)], stakingAddress: pool.address });
    expect(change(out(need + 800_000n), pool.address).coin).toBe(need + 800_000n);
    // The holder has moved what was above the need elsewhere.
    const back = buildAssetReturn(context, { ...move, holder: payer(pool, utxo(pool.address, need, [[art, 1n]])) });
    expect(change(back, custody.address).coin).toBe(need);
    expect(change(out(need), custody.address).coin).toBe(0n - need);
  });

  test('any staking and return costs only the payer, and loses no asset and no ADA', () => {
    const coin = fc.bigInt({ min: 1_300_000n, max: 10n ** 9n });
    const beside = fc.bigInt({ min: 0n, max: 1000n });
    fc.assert(
      fc.property(coin, beside, (lovelaceHeld, tokens) => {
        const mixed = (at: string, own = 0n) =>
          utxo(at, lovelaceHeld + own, [[art, 1n], ...(tokens > 0n ? [[other, tokens] as [Unit, bigint]] : [])]);
        const moving = new Map([[art, 1n]]);
        const move = { custody, payer: operator, assets: moving, ttlSlot };
        const out = buildAssetStaking(context, {
          ...move,
          holding: [mixed(custody.address)],
          stakingAddress: pool.address,
        });
        const back = buildAssetReturn(context, { ...move, holder: payer(pool, mixed(pool.address, 1_500_000n)) });
        expect(change(back, stranger.address).coin).toBe(0n - back.fee);
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
