import { expect, test } from '@jest/globals';
import {
  context,
  keys,
  longUnit,
  operator,
  ttlSlot,
  utxo,
  vault,
  verdict,
  wallet,
} from '../../../test/chain/sample-context.ts';
import { baseUnits, lovelace } from '../../platform/units/money.ts';
import { gatheringBatch, gatheredPot, buildPotGathering } from './termination.ts';
import { scriptAddress } from '../scripts/address.ts';
import { claimsScript, custodyScript } from '../scripts/vault-scripts.ts';
import { minAda } from './draft.ts';
import { instant } from '../../platform/units/time.ts';

const vaultKeyHash = vault.key.keyHash;
const claimsAddress = scriptAddress(claimsScript({ vaultKeyHash }), 0);
const script = custodyScript({ vaultKeyHash, cosigners: null });
const ft = longUnit(1);
const SUPPLY = 10n ** 15n;

const gather = (...held: readonly (readonly [bigint, bigint, unit?: string])[]) => gatherBeside(0, ...held);

const gatherBeside = (inPot: number, ...held: readonly (readonly [bigint, bigint, unit?: string])[]) =>
  buildPotGathering(context, {
    inputs: held.map(([coin, tokens, unit = ft]) => ({
      utxo: utxo(vault.custodyAddress, coin, tokens === 0n ? [] : [[unit, tokens]]),
      script,
    })),
    claimsAddress,
    inPot,
    custody: { address: vault.custodyAddress, script, vaultKeyHash, cosigners: [], allCosign: true },
    ftUnit: ft,
    ftSupply: SUPPLY,
    operator: operator(100_000_000n),
    ttlSlot,
  });

const potOf = (built: ReturnType<typeof gather>) =>
  gatheredPot([built], { sources: [vault.custodyAddress], claimsAddress, ftUnit: ft, ftSupply: baseUnits(1000n) });

test('a pot is what the vault had less the fee, in equal outputs that each hold their min-ADA besides', () => {
  const built = gather([300_000_000n, 0n], [2_000_000n, 400n]);
  const { pot, float } = potOf(built);
  expect(pot).toEqual({ lovelace: 302_000_000n - built.fee, circulating: 600n });
  const outputs = built.outputs.filter(({ address }) => address === claimsAddress);
  expect(outputs).toHaveLength(12);
  expect(outputs.reduce((sum, output) => sum + output.lovelace, 0n)).toBe(pot.lovelace + float);
  expect(outputs.map(({ assets }) => assets.get(ft) ?? 0n)).toEqual([400n, ...Array<bigint>(11).fill(0n)]);
  expect(verdict(built, [vault.key, keys.operator])).toBe('accepted');
});

test('a few lovelace make a pot, and eighty outputs fit into a transaction', () => {
  expect(potOf(gather([1_200_000n, 1n])).pot.lovelace).toBeGreaterThan(900_000n);
  const many = gather(...Array.from({ length: 80 }, () => [100_000_000n, 5n] as const));
  expect(many.outputs.filter(({ address }) => address === claimsAddress)).toHaveLength(40);
  expect(many.cbor.length / 2).toBeLessThan(8_192);
});

test('a pot that gatherings have cut before gets few outputs more, so that one transaction can pay all of it', () => {
  const outputsBeside = (inPot: number) =>
    gatherBeside(inPot, [2_000_000_000n, 5n]).outputs.filter(({ address }) => address === claimsAddress);
  expect([0, 30, 40, 50].map((inPot) => outputsBeside(inPot).length)).toEqual([40, 10, 1, 1]);
});

test('a pot of which nothing is gathered has what the operator lends, so that a sale can be claimed to the last lovelace', () => {
  const built = gather();
  const { pot, float } = potOf(built);
  expect(pot).toEqual({ lovelace: 0n, circulating: 1000n });
  const sold = { address: claimsAddress, lovelace: lovelace(500_000_000n), assets: new Map([[ft, SUPPLY]]) };
  expect(float).toBeGreaterThanOrEqual(minAda(context.parameters, sold));
  expect(verdict(built, [vault.key, keys.operator])).toBe('accepted');
});

test('what lies with many assets is gathered in as many transactions as it needs', () => {
  const assetsOf = (output: number) =>
    Array.from({ length: 10 }, (_, asset): [string, bigint] => [longUnit(100 + 10 * output + asset), 1n]);
  const inputs = Array.from({ length: 30 }, (_, output) => ({
    utxo: utxo(vault.custodyAddress, 100_000_000n, [...assetsOf(output), [ft, 5n]]),
    script,
  }));
  const batch = gatheringBatch(inputs, ft);
  expect(batch).toEqual(inputs.slice(0, 2));
  const large = {
    utxo: utxo(
      vault.custodyAddress,
      300_000_000n,
      Array.from({ length: 90 }, (_, n) => [longUnit(n + 2), 1n]),
    ),
    script,
  };
  expect(gatheringBatch([large, ...inputs], ft)).toEqual([large]);
  const built = buildPotGathering(context, {
    inputs: [large],
    claimsAddress,
    inPot: 0,
    custody: { address: vault.custodyAddress, script, vaultKeyHash, cosigners: [], allCosign: true },
    ftUnit: ft,
    ftSupply: SUPPLY,
    operator: operator(100_000_000n),
    ttlSlot,
  });
  expect(verdict(built, [vault.key, keys.operator])).toBe('accepted');
});

test('the float of a pot without tokens is enough for an output with all of them', () => {
  const { pot, float } = potOf(gather([10_000_000n, 0n]));
  const last = { address: claimsAddress, lovelace: pot.lovelace, assets: new Map([[ft, SUPPLY]]) };
  expect(float).toBeGreaterThanOrEqual(minAda(context.parameters, last));
});

test('an asset that lay with much ADA stays in custody, and the ADA is in the pot', () => {
  const built = gather([80_000_000n, 1n, longUnit(7)], [2_000_000n, 400n]);
  const inCustody = built.outputs.filter(({ address }) => address === vault.custodyAddress);
  expect(inCustody.map(({ assets }) => [...assets])).toEqual([[[longUnit(7), 1n]]]);
  expect(potOf(built).pot.lovelace).toBe(82_000_000n - built.fee - (inCustody[0]?.lovelace ?? 0n));
  expect(verdict(built, [vault.key, keys.operator])).toBe('accepted');
});

test('what lies in custody with registered cosigners is gathered with the signatures of as many as have to sign, not of fewer', () => {
  const [one, other] = [wallet(1).key, wallet(2).key];
  const cosigners = {
    required: 1,
    keyHashes: [one.keyHash, other.keyHash],
    alone: { from: instant(0), fromSlot: 900_000_000 },
  };
  const guarded = custodyScript({ vaultKeyHash, cosigners });
  const address = scriptAddress(guarded, 0);
  const built = buildPotGathering(context, {
    inputs: [{ utxo: utxo(address, 90_000_000n), script: guarded }],
    claimsAddress,
    inPot: 0,
    custody: { address, script: guarded, vaultKeyHash, cosigners: cosigners.keyHashes, allCosign: false },
    ftUnit: ft,
    ftSupply: SUPPLY,
    operator: operator(100_000_000n),
    ttlSlot,
  });
  expect(verdict(built, [vault.key, keys.operator, other])).toBe('accepted');
  expect(verdict(built, [vault.key, keys.operator])).not.toBe('accepted');
});
