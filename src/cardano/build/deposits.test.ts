import { expect, test } from '@jest/globals';
import {
  context,
  depositOf,
  longUnit,
  ttlSlot,
  utxo,
  vault,
  verdict,
  wallet,
} from '../../../test/chain/sample-context.ts';
import { lovelace } from '../../platform/units/money.ts';
import { buildDelivery } from './settlement.ts';
import { buildDepositReturn, deliveryDeposits, settlementFloat } from './deposits.ts';
import { minAda } from './draft.ts';
import type { ProtocolParameters } from '../ledger/parameters.ts';

const largest = 2n ** 62n;
const ft = vault.policyId + 'f'.repeat(64);
const owner = wallet(1);

/** Both kinds of deposit, each settled and returned alone: no batch mate shares the fee. */
function settleAndReturn(parameters: ProtocolParameters) {
  const { asset, investment } = deliveryDeposits(parameters);
  const settlement = utxo(vault.settlementAddress, settlementFloat(parameters) + largest, [[ft, largest]]);
  const contributed = depositOf(owner, asset, [[longUnit(1), largest]]);
  const invested = depositOf(owner, 2n ** 61n + investment);
  const ofAsset = { ...contributed, invested: lovelace(0n), ft: 10n ** 18n, lovelaceShare: lovelace(0n) };
  const ofInvestment = { ...invested, invested: lovelace(2n ** 61n), ft: 10n ** 18n, lovelaceShare: lovelace(0n) };
  const batch = {
    settlement,
    settlementScript: vault.settlement,
    vaultKeyHash: vault.key.keyHash,
    custodyAddress: vault.custodyAddress,
    ftUnit: ft,
    ttlSlot,
  };
  const settings = { ...context, parameters };
  return [
    ...[ofAsset, ofInvestment].map((delivery) => buildDelivery(settings, { ...batch, deliveries: [delivery] })),
    ...[contributed, invested].map((deposit) =>
      buildDepositReturn(settings, { deposits: [deposit], signers: [vault.key.keyHash], ttlSlot }),
    ),
  ].map(({ transaction }) => transaction);
}

test('a delivery deposit is about 3 ADA for an asset and 2 ADA for an investment', () => {
  expect(deliveryDeposits(context.parameters)).toEqual({ asset: 3_000_000n, investment: 2_000_000n });
});

test('a deposit with the longest name and largest quantity pays for its own settlement, removal and refund', () => {
  for (const transaction of settleAndReturn(context.parameters))
    expect(verdict(transaction, [vault.key])).toBe('accepted');
});

test.each([
  ['dearer bytes', { minFeeA: 440n, minFeeB: 155_381n, coinsPerUtxoByte: 4_310n }],
  ['dearer outputs', { minFeeA: 44n, minFeeB: 155_381n, coinsPerUtxoByte: 34_480n }],
  ['free outputs', { minFeeA: 44n, minFeeB: 155_381n, coinsPerUtxoByte: 1n }],
])('delivery deposits follow the protocol parameters: %s', (_name, changed) => {
  const parameters = { ...context.parameters, ...changed };
  for (const { outputs } of settleAndReturn(parameters)) {
    for (const output of outputs) expect(output.lovelace).toBeGreaterThanOrEqual(minAda(parameters, output));
  }
});
