import { expect, test } from '@jest/globals';
import { PlutusDatumSchema, Transaction } from '@emurgo/cardano-serialization-lib-nodejs';
import fc from 'fast-check';
import {
  context,
  deadlineSlot,
  depositOf,
  keys,
  longUnit,
  operator,
  ttlSlot,
  utxo,
  vault,
  verdict,
  wallet,
} from '../../../test/chain/sample-context.ts';
import { lovelace } from '../../platform/units/money.ts';
import { sumHoldings } from './values.ts';
import {
  type BuiltDelivery,
  buildDelivery,
  type Delivery,
  buildLiquidityPayout,
  type SettledShare,
  buildFtMint,
} from './settlement.ts';
import { signedSize } from './draft.ts';
import { deliveryDeposits, settlementFloat } from './deposits.ts';
import { ftUnit } from '../tokens/fractional-token.ts';
import { outputUtxo, type Utxo } from '../transaction.ts';

const deposits = deliveryDeposits(context.parameters);
const nameHex = Buffer.from('T'.repeat(28)).toString('hex');
const ft = ftUnit(vault.policyId, nameHex);
const supply = 9_200_000_000_000_000_000n;

const mint = (ttl = ttlSlot) =>
  buildFtMint(context, {
    operator: operator(20_000_000n),
    policy: vault.policy,
    policyKeyHash: vault.policyKey.keyHash,
    ft: { nameHex, supply, decimals: 6, name: 'Vault of fine art', ticker: 'ART' },
    settlementAddress: vault.settlementAddress,
    custodyAddress: vault.custodyAddress,
    plan: { terms: 'ab'.repeat(32), root: 'cd'.repeat(32), shares: 150 },
    ttlSlot: ttl,
  });

const investment = (number: number, invested: bigint, tokens: bigint): Delivery => ({
  ...depositOf(wallet(number), invested + deposits.investment),
  invested: lovelace(invested),
  ft: tokens,
  lovelaceShare: lovelace(0n),
});

const contribution = (number: number, owner: number, tokens: bigint, share: bigint): Delivery => ({
  ...depositOf(wallet(owner), deposits.asset, [[longUnit(number), 10n ** 18n]]),
  invested: lovelace(0n),
  ft: tokens,
  lovelaceShare: lovelace(share),
});

function deliver(settlement: Utxo, deliveries: readonly Delivery[]): BuiltDelivery {
  return buildDelivery(context, {
    settlement,
    settlementScript: vault.settlement,
    vaultKeyHash: vault.key.keyHash,
    custodyAddress: vault.custodyAddress,
    ftUnit: ft,
    deliveries,
    ttlSlot,
  });
}

function deliverAll(settlement: Utxo, deliveries: readonly Delivery[]): { batches: BuiltDelivery[]; left: Utxo } {
  const batches: BuiltDelivery[] = [];
  let left = settlement;
  for (let rest = deliveries; rest.length > 0; rest = rest.slice(batches.at(-1)!.taken)) {
    const batch = deliver(left, rest);
    batches.push(batch);
    left = outputUtxo(batch.transaction, 0);
  }
  return { batches, left };
}

test('the whole supply is minted in one transaction, with its decimals readable on chain', () => {
  const built = mint();
  expect(built.outputs[0]).toMatchObject({ address: vault.settlementAddress });
  expect(built.outputs[0]?.assets.get(ft)).toBe(supply);
  const datum: unknown = JSON.parse(
    Transaction.from_hex(built.cbor).body().outputs().get(1).plutus_data()?.to_json(PlutusDatumSchema.DetailedSchema) ??
      'null',
  );
  expect(datum).toMatchObject({ constructor: 0 });
  expect(JSON.stringify(datum)).toContain(
    JSON.stringify({ k: { bytes: Buffer.from('decimals').toString('hex') }, v: { int: 6 } }),
  );
  expect(verdict(built, [keys.operator, vault.policyKey])).toBe('accepted');
});

test('no token can be minted after T, not even by the vault', () => {
  const late = mint(deadlineSlot + 100);
  expect(verdict(late, [keys.operator, vault.policyKey], deadlineSlot + 1)).toBe('ScriptWitnessNotValidatingUTXOW');
  expect(verdict(late, [keys.operator, vault.policyKey])).toBe('ScriptWitnessNotValidatingUTXOW');
});

test('100 assets and 50 investments settle in batches that the ledger accepts, exact to the unit', () => {
  const investors = Array.from({ length: 50 }, (_, number) => investment(number, 10_000_001n, 90_000_000_000_007n));
  const contributors = Array.from({ length: 100 }, (_, number) =>
    contribution(number, 100 + (number % 60), 45_000_000_000_003n, 4_000_003n),
  );
  const { batches, left } = deliverAll(outputUtxo(mint(), 0), [...investors, ...contributors]);

  expect(batches.length).toBeGreaterThan(2);
  for (const { transaction, payments } of batches) {
    expect(signedSize(transaction)).toBeLessThanOrEqual(16_384);
    expect(verdict(transaction, [vault.key])).toBe('accepted');
    for (const payment of payments) {
      const theirs = payments.filter(({ owner }) => owner === payment.owner);
      const paid = transaction.outputs[payment.ownerOutput];
      expect(paid?.address).toBe(payment.owner);
      expect(paid?.assets.get(ft)).toBe(theirs.reduce((sum, each) => sum + each.ft, 0n));
      expect(paid?.lovelace).toBe(theirs.reduce((sum, each) => sum + each.lovelaceShare + each.depositReturned, 0n));
    }
  }
  const kept = batches.flatMap(({ transaction, payments }) =>
    payments.flatMap(({ custodyOutput }) => (custodyOutput === null ? [] : transaction.outputs[custodyOutput])),
  );
  expect(kept.map((output) => [output?.address, ...(output?.assets.keys() ?? [])])).toEqual(
    contributors.map((_, number) => [vault.custodyAddress, longUnit(number)]),
  );

  const lpFt = supply - 50n * 90_000_000_000_007n - 100n * 45_000_000_000_003n;
  const lpLovelace = lovelace(50n * 10_000_001n - 100n * 4_000_003n);
  expect(left.lovelace).toBe(lpLovelace + settlementFloat(context.parameters));
  const last = finish(left, { liquidity: { lovelace: lpLovelace, ft: lpFt } });
  expect(last.topUp).toBe(0n);
  expect(last.transaction.outputs).toHaveLength(2);
  expect(last.transaction.outputs[0]).toMatchObject({ lovelace: lpLovelace, assets: new Map([[ft, lpFt]]) });
  expect(last.transaction.outputs[1]?.lovelace).toBe(settlementFloat(context.parameters) - last.transaction.fee);
  expect(verdict(last.transaction, [vault.key])).toBe('accepted');
});

/** What is left at the settlement address once everyone who is to be paid was. */
const leftover = (coin: bigint, tokens: bigint) =>
  utxo(vault.settlementAddress, settlementFloat(context.parameters) + coin, [[ft, tokens]]);
const nothing: SettledShare = { lovelace: lovelace(0n), ft: 0n };

function finish(settlement: Utxo, { liquidity, kept = nothing }: { liquidity: SettledShare; kept?: SettledShare }) {
  return buildLiquidityPayout(context, {
    settlement,
    float: settlementFloat(context.parameters),
    settlementScript: vault.settlement,
    vaultKeyHash: vault.key.keyHash,
    liquidityAddress: wallet(1).address,
    custodyAddress: vault.custodyAddress,
    operatorAddress: keys.operator.address,
    ftUnit: ft,
    liquidity,
    kept,
    ttlSlot,
  });
}

test('a tiny LP share reaches its address, topped up by the operator', () => {
  const { transaction, topUp } = finish(leftover(1n, 2n ** 62n), {
    liquidity: { lovelace: lovelace(1n), ft: 2n ** 62n },
  });
  expect(topUp).toBeGreaterThan(1_000_000n);
  expect(transaction.outputs[0]?.lovelace).toBe(1n + topUp);
  expect(verdict(transaction, [vault.key])).toBe('accepted');
});

test('the exact shares of owners who took their deposits back go to custody', () => {
  const liquidity = { lovelace: lovelace(7_000_001n), ft: 10n ** 17n };
  const kept = { lovelace: lovelace(5_000_003n), ft: 123_456_789n };
  const { transaction, topUp } = finish(leftover(12_000_004n, liquidity.ft + kept.ft), { liquidity, kept });
  const [toLiquidity, toOperator, toCustody] = transaction.outputs;
  expect(toLiquidity).toMatchObject({ lovelace: liquidity.lovelace, assets: new Map([[ft, liquidity.ft]]) });
  expect(toCustody).toMatchObject({
    address: vault.custodyAddress,
    lovelace: kept.lovelace,
    assets: new Map([[ft, kept.ft]]),
  });
  expect(topUp).toBe(0n);
  expect(toOperator?.lovelace).toBe(settlementFloat(context.parameters) - transaction.fee);
  expect(verdict(transaction, [vault.key])).toBe('accepted');
});

test('without ADA for the LP or custody the operator pays for both outputs; ADA without tokens is kept too', () => {
  const tokens = { lovelace: lovelace(0n), ft: 2n ** 61n };
  const bare = finish(leftover(0n, 2n ** 62n), { liquidity: tokens, kept: tokens });
  expect(bare.topUp).toBeGreaterThan(2_000_000n);
  expect(verdict(bare.transaction, [vault.key])).toBe('accepted');

  const ada = { lovelace: lovelace(1n), ft: 0n };
  const { transaction } = finish(leftover(1n, 2n ** 61n), { liquidity: tokens, kept: ada });
  expect(transaction.outputs[2]?.assets.size).toBe(0);
  expect(verdict(transaction, [vault.key])).toBe('accepted');
});

test('a settlement is not completed unless it adds up to the last unit', () => {
  const liquidity = { lovelace: lovelace(5_000_000n), ft: 10n };
  const kept = { lovelace: lovelace(2_000_000n), ft: 5n };
  for (const [coin, tokens] of [
    [7_000_000n, 16n],
    [7_000_001n, 15n],
    [6_999_999n, 15n],
  ] as const)
    expect(() => finish(leftover(coin, tokens), { liquidity, kept })).toThrow('the settlement holds');
});

test('a settlement that would pay more than it holds is not built', () => {
  const settlement = utxo(vault.settlementAddress, settlementFloat(context.parameters), [[ft, 10n]]);
  expect(() => deliver(settlement, [contribution(1, 1, 11n, 0n)])).toThrow(RangeError);
  expect(() => deliver(settlement, [contribution(1, 1, 1n, 90_000_000n)])).toThrow(
    expect.objectContaining({ code: 'INSUFFICIENT_FUNDS' }),
  );
});

test('no delivery creates, loses or burns a unit, and every unit belongs to one payment', () => {
  const amount = fc.bigInt(0n, 10n ** 12n);
  const party = fc.record({
    owner: fc.nat(5),
    isAsset: fc.boolean(),
    tokens: amount,
    coin: fc.bigInt(5_000_000n, 10n ** 12n),
  });
  fc.assert(
    fc.property(fc.array(party, { minLength: 1, maxLength: 25 }), fc.bigInt(0n, 10n ** 18n), (parties, spare) => {
      const deliveries = parties.map(({ owner, isAsset, tokens, coin }, number) =>
        isAsset ? contribution(number, owner, tokens, coin / 7n) : investment(owner, coin, tokens),
      );
      const promised = deliveries.reduce((sum, delivery) => sum + delivery.ft, 0n);
      const shares = deliveries.reduce((sum, delivery) => sum + delivery.lovelaceShare, 0n);
      const settlement = utxo(vault.settlementAddress, shares + settlementFloat(context.parameters), [
        [ft, promised + spare],
      ]);
      const { transaction, payments, taken } = deliver(settlement, deliveries);

      const given = sumHoldings(transaction.inputs);
      const paid = sumHoldings(transaction.outputs);
      expect(paid.lovelace + transaction.fee).toBe(given.lovelace);
      expect(new Map([...paid.assets].sort())).toEqual(new Map([...given.assets].sort()));
      payments.forEach((payment, index) => {
        const { utxo: spent, invested } = deliveries[index]!;
        expect(invested + payment.depositReturned + payment.feeShare + payment.custodyMinAda).toBe(spent.lovelace);
      });
      expect(taken).toBe(deliveries.length);
      expect(verdict(transaction, [vault.key])).toBe('accepted');
    }),
    { numRuns: 40 },
  );
});
