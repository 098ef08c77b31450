import { expect, test } from '@jest/globals';
import {
  context,
  depositOf,
  longUnit,
  payer,
  ttlSlot,
  utxo,
  verdict,
  wallet,
} from '../../../test/chain/sample-context.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Unit } from '../transaction.ts';
import { buildAddAssets, deliveryDeposits } from './deposits.ts';
import type { Payer } from './funding.ts';

const owner = wallet(1);
const deliveryDeposit = deliveryDeposits(context.parameters).asset;
const depositAddress = depositOf(owner, 0n).utxo.address;
const units = Array.from({ length: 40 }, (_, index) => longUnit(index + 1));

const add = (from: Payer, added: readonly Unit[] = units) =>
  buildAddAssets(context, {
    owner: from,
    depositAddress,
    assets: added.map((unit) => ({ unit, quantity: 1n })),
    deliveryDeposit,
    ttlSlot,
  });

/** A UTxO with one of these units and many tokens of other policies, which go into the change. */
const crowded = (unit: Unit, from: number) =>
  utxo(owner.address, 60_000_000n, [
    [unit, 1n],
    ...Array.from({ length: 40 }, (_, index): [Unit, bigint] => [longUnit(1000 + from * 40 + index), 1n]),
  ]);

function refusalOf(build: () => unknown): ServiceError | undefined {
  try {
    build();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  return undefined;
}

test('40 assets of 40 policies fit into one transaction with one signature, each in an output of its own', () => {
  const built = add(payer(owner, ...units.map((unit) => utxo(owner.address, 4_000_000n, [[unit, 1n]]))));
  const deposited = built.outputs.slice(0, 40);
  expect(deposited.map(({ address, lovelace, assets }) => ({ address, lovelace, assets }))).toEqual(
    units.map((unit) => ({ address: depositAddress, lovelace: deliveryDeposit, assets: new Map([[unit, 1n]]) })),
  );
  expect(built.requiredSigners).toEqual([owner.key.keyHash]);
  expect(verdict(built, [owner.key])).toBe('accepted');
});

test('assets that do not fit are refused with the number that fits, which then is accepted', () => {
  const from = payer(owner, ...units.map(crowded));
  const refusal = refusalOf(() => add(from));
  expect(refusal).toMatchObject({ code: 'ASSETS_DO_NOT_FIT', details: { requested: 40 } });
  const fitting = Number(refusal?.details?.['fitting']);
  expect(fitting).toBeGreaterThan(0);
  expect(verdict(add(from, units.slice(0, fitting)), [owner.key])).toBe('accepted');
  expect(() => add(from, units.slice(0, fitting + 1))).toThrow(expect.objectContaining({ code: 'ASSETS_DO_NOT_FIT' }));
});

test('too little ADA for all delivery deposits is not taken for too little space', () => {
  const poor = payer(owner, ...units.map((unit) => utxo(owner.address, 2_000_000n, [[unit, 1n]])));
  expect(() => add(poor)).toThrow(expect.objectContaining({ code: 'INSUFFICIENT_FUNDS' }));
});
