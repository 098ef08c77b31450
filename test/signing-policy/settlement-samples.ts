import { blake2b256 } from '../../src/cardano/blake2b.ts';
import { buildDelivery, buildFtMint, buildLiquidityPayout } from '../../src/cardano/build/settlement.ts';
import { settlementFloat } from '../../src/cardano/build/deposits.ts';
import { ftNameHex, referenceNameHex } from '../../src/cardano/tokens/fractional-token.ts';
import { distribute } from '../../src/settlement/rules/distribution.ts';
import { commitmentSteps, type SettlementPlan } from '../../src/settlement/rules/plan-commitment.ts';
import { refText } from '../../src/transactions/rules.ts';
import { instant } from '../../src/platform/units/time.ts';
import { basisPoints, lovelace } from '../../src/platform/units/money.ts';
import {
  context,
  depositOf,
  keys,
  operator,
  ttlSlot,
  utxo,
  vault as sample,
  vaultTerms,
} from '../chain/sample-context.ts';
import { finish } from './finish.ts';
import { creationOf } from '../../src/signing-policy/mint.ts';
import { decodeTransaction } from '../../src/signing-policy/decoder.ts';
import {
  art,
  creation,
  ft,
  nameHex,
  other,
  owner,
  policy,
  policyKeyHash,
  type Sample,
  supply,
  terms as committedTerms,
  vault,
  vaultKeyHash,
} from './samples.ts';

const contributed = [{ id: 'c', deposit: depositOf(other, 4_000_000n, [[art, 1n]]), value: lovelace(160_000_000n) }];
const investments = [
  { id: 'a', deposit: depositOf(owner, 52_000_000n), lovelace: lovelace(50_000_000n) },
  { id: 'b', deposit: depositOf(other, 32_000_000n), lovelace: lovelace(30_000_000n) },
];
const { ftPercentage, lpPercentage, termination, floorPricePercentage, maxShare } = vaultTerms;
const terms = { supply, ftPercentage, lpPercentage, termination };
const at = instant(0);
const distribution = distribute({
  ...terms,
  reserve: basisPoints(0n),
  investors: investments.map(({ deposit, ...one }) => ({ ...one, wallet: deposit.owner, at })),
  contributors: contributed.map(({ deposit, ...one }) => ({ ...one, wallet: deposit.owner, at })),
});
if (distribution.kind === 'fails') throw new Error(`the sample fails: ${distribution.reason}`);
const { investors, contributors } = distribution;

/** Two investments and an asset. */
export const plan: SettlementPlan = {
  terms,
  shares: [
    ...investments.map(({ deposit, lovelace: invested }, position) => {
      const { ft: tokens } = investors[position]!;
      const nothing = { value: lovelace(0n), lovelace: lovelace(0n), contributed: new Map() };
      return { deposit: deposit.utxo, owner: deposit.owner, invested, ft: tokens, ...nothing };
    }),
    ...contributed.map(({ deposit, value }, position) => {
      const { ft: tokens, lovelace: share } = contributors[position]!;
      return {
        deposit: deposit.utxo,
        owner: deposit.owner,
        invested: lovelace(0n),
        value,
        contributed: deposit.utxo.assets,
        ft: tokens,
        lovelace: share,
      };
    }),
  ],
};
const deposits = [...investments, ...contributed].map(({ deposit }) => deposit);

export const mint: Sample<'mint'> = {
  built: buildFtMint(context, {
    operator: operator(40_000_000n),
    policy,
    policyKeyHash,
    ft: { nameHex, supply, decimals: 6, name: 'Art', ticker: 'ART', url: 'https://example.org/vaults/1' },
    settlementAddress: vault.settlement,
    custodyAddress: vault.custody,
    plan: finish(commitmentSteps(blake2b256, plan)),
    ttlSlot,
  }),
  evidence: {
    vault,
    ftName: ftNameHex(nameHex),
    referenceName: referenceNameHex(nameHex),
    supply,
    decimals: 6,
    earlierMint: null,
    creation: creationOf(decodeTransaction(creation.built.cbor), policyKeyHash),
    terms: committedTerms,
    plan,
    counted: {
      floorPricePercentage,
      maxShare,
      prices: new Map(
        contributed.map(({ id, deposit, value }) => {
          const price = { lovelace: lovelace((value * 10n) / 8n), decimals: 0, asOf: at, source: 'feed' };
          return [refText(deposit.utxo), { price, isSealed: true, depositOrder: { id, addedAt: at, lockedAt: at } }];
        }),
      ),
    },
    held: new Map(deposits.map(({ utxo: held, owner }) => [refText(held), { ...held, paid: [held.address, owner] }])),
  },
  keys: ['operator', 'policy'],
};

const settlement = utxo(vault.settlement, 106_000_000n, [[ft, supply]]);
const deliveries = plan.shares.map(({ invested, ft: tokens, lovelace: lovelaceShare }, position) => {
  return { ...deposits[position]!, invested, ft: tokens, lovelaceShare };
});

export const deliver: Sample<'deliver'> = {
  built: buildDelivery(context, {
    settlement,
    settlementScript: sample.settlement,
    vaultKeyHash,
    custodyAddress: vault.custody,
    ftUnit: ft,
    deliveries,
    ttlSlot,
  }).transaction,
  evidence: {
    vault,
    ftUnit: ft,
    owed: plan.shares,
    plan: {
      terms,
      shares: new Map(plan.shares.map((share) => [refText(share.deposit), share])),
      invested: distribution.invested,
      value: plan.shares.reduce((sum, { value }) => sum + value, 0n),
      kept: distribution.invested,
    },
  },
  keys: ['vault'],
};

const float = settlementFloat(context.parameters);

export const liquidity: Sample<'liquidity'> = {
  built: buildLiquidityPayout(context, {
    settlement: utxo(vault.settlement, 40_000_000n + float, [[ft, 900n]]),
    float,
    settlementScript: sample.settlement,
    vaultKeyHash,
    liquidityAddress: vault.liquidity,
    custodyAddress: vault.custody,
    operatorAddress: keys.operator.address,
    ftUnit: ft,
    liquidity: { lovelace: lovelace(30_000_000n), ft: 800n },
    kept: { lovelace: lovelace(10_000_000n), ft: 100n },
    ttlSlot,
  }).transaction,
  evidence: { vault, ftUnit: ft, liquidityAddress: vault.liquidity, float },
  keys: ['vault'],
};
