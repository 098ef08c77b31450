import { expect } from '@jest/globals';
import {
  buildDelivery,
  buildFtMint,
  buildLiquidityPayout,
  type SettledShare,
} from '../../src/cardano/build/settlement.ts';
import { settlementFloat } from '../../src/cardano/build/deposits.ts';
import { buildBalanced } from '../../src/cardano/build/funding.ts';
import { settlementScript } from '../../src/cardano/scripts/vault-scripts.ts';
import { scriptHash } from '../../src/cardano/scripts/native-script.ts';
import { referenceUnit } from '../../src/cardano/tokens/fractional-token.ts';
import { outputUtxo, type Utxo } from '../../src/cardano/transaction.ts';
import { type CountedDistribution, distributeToCounted } from '../../src/settlement/rules/deposits.ts';
import { reviseSettlement } from '../../src/settlement/rules/distribution.ts';
import { instant } from '../../src/platform/units/time.ts';
import { FULL_SHARE, lovelace } from '../../src/platform/units/money.ts';
import { context } from '../chain/sample-context.ts';
import { type Choice, pick } from './choice.ts';
import { depositAddress, forget, returnDeposits, sumByOwner } from './deposits.ts';
import { land } from './land.ts';
import { operator, payerOf, policyKey } from './parties.ts';
import {
  type Deposit,
  ftDescription,
  ftNameHex,
  ftPolicy,
  guardOf,
  parameters,
  ttlOf,
  unitOfFt,
  type World,
} from './world.ts';

type Plan = Extract<CountedDistribution, { kind: 'settles' }>;

/**
 * Settles as the service does; the owners of some deposits take them back alone between mint and delivery. Returns whether the vault
 * settled: else all deposits went back.
 */
export function settle(world: World, reclaims: readonly Choice[]): boolean {
  const plan = planOf(world);
  if (plan.kind === 'fails') {
    returnDeposits(world, world.deposits);
    return false;
  }
  const returned = new Set(plan.returned.map(({ id }) => id));
  returnDeposits(
    world,
    world.deposits.filter(({ id }) => returned.has(id)),
  );
  const minted = mint(world);
  const planned = world.deposits;
  reclaim(
    world,
    planned.filter((deposit) => reclaims.some((choice) => pick(planned, choice) === deposit)),
  );

  const { shares, lpLovelace } = sharesOf(world, plan, planned);
  const left = deliver(world, shares, minted);
  const kept = planned.filter((deposit) => !world.deposits.includes(deposit)).map(({ id }) => shares.get(id));
  payLiquidity(world, left, { liquidity: { lovelace: lpLovelace, ft: plan.lpFt }, kept: sumOf(kept) });
  world.deposits = [];
  expect(world.ledger.utxosAt(world.vault.settlementAddress)).toEqual([]);
  return true;
}

function planOf({ terms, deposits }: World): CountedDistribution {
  const ofKind = (kind: Deposit['kind']) =>
    deposits.flatMap((deposit, at) =>
      deposit.kind === kind ? [{ ...deposit, wallet: deposit.owner.address, at }] : [],
    );
  return distributeToCounted({
    ...terms,
    maxShare: FULL_SHARE,
    contributors: ofKind('asset').map(({ id, wallet, amount, at }) => {
      return { id, wallet, policyId: id, value: lovelace(amount), at: instant(at) };
    }),
    investors: ofKind('investment').map(({ id, wallet, amount, at }) => {
      return { id, wallet, lovelace: lovelace(amount), at: instant(at) };
    }),
  });
}

function mint(world: World): Utxo {
  const { supply } = world.terms;
  const built = buildFtMint(context, {
    operator: payerOf(world.ledger, operator),
    policy: ftPolicy,
    policyKeyHash: policyKey.keyHash,
    ft: { ...ftDescription, nameHex: ftNameHex, supply },
    settlementAddress: world.vault.settlementAddress,
    custodyAddress: world.vault.contractAddress,
    plan: { terms: 'ab'.repeat(32), root: 'cd'.repeat(32), shares: world.deposits.length },
    ttlSlot: ttlOf(world),
  });
  world.came.units.set(unitOfFt, supply).set(referenceUnit(scriptHash(ftPolicy), ftNameHex), 1n);
  const lent = settlementFloat(parameters) + (built.outputs[1]?.lovelace ?? 0n);
  land(world, { kind: 'mint', built, changes: { operator: { lovelace: 0n - built.fee - lent } } });
  return outputUtxo(built, 0);
}

/** Owners take deposits back with their own signature, once the ledger lets them. */
function reclaim(world: World, deposits: readonly Deposit[]): void {
  if (deposits.length === 0) return;
  world.ledger.moveClock(7_200_000);
  for (const { owner, utxo } of deposits) {
    const built = buildBalanced(parameters, payerOf(world.ledger, owner), {
      fixedInputs: [{ utxo, script: depositAddress(world, owner).script }],
      outputs: [],
      validFrom: world.vault.settlesBySlot,
      ttlSlot: ttlOf(world),
    });
    land(world, { kind: null, built, changes: { [owner.name]: { lovelace: 0n - built.fee } } });
  }
  forget(world, deposits);
}

/** What is planned for each deposit, with the ADA that is there: tokens stay as planned (design D13c). */
function sharesOf({ terms, deposits }: World, plan: Plan, planned: readonly Deposit[]) {
  const invested = deposits.filter(({ kind }) => kind === 'investment').reduce((sum, { amount }) => sum + amount, 0n);
  const revision = reviseSettlement(plan.contributors, { ...terms, contributors: plan.counted }, lovelace(invested));
  const owed = new Map(revision.contributors.map(({ id, lovelace: share }) => [id, share]));
  const tokens = new Map([...plan.investors, ...plan.contributors].map(({ id, ft }) => [id, ft]));
  const shares = planned.map(({ id }) => {
    return [id, { ft: tokens.get(id) ?? 0n, lovelace: owed.get(id) ?? lovelace(0n) }] as const;
  });
  return { shares: new Map<string, SettledShare>(shares), lpLovelace: revision.lpLovelace };
}

/** Delivers to investors first, whose ADA contributors get. Returns what is left of the settlement. */
function deliver(world: World, shares: ReadonlyMap<string, SettledShare>, minted: Utxo): Utxo {
  const inOrder = world.deposits.toSorted((one, other) => other.kind.localeCompare(one.kind));
  let settlement = minted;
  for (let left = inOrder; left.length > 0;) {
    const { transaction, taken, payments } = buildDelivery(context, {
      settlement,
      settlementScript: settlementScript({ vaultKeyHash: world.vault.settlementKeyHash }),
      vaultKeyHash: world.vault.settlementKeyHash,
      custodyAddress: world.vault.contractAddress,
      ftUnit: unitOfFt,
      deliveries: left.map((deposit) => deliveryOf(world, deposit, shares)),
      ttlSlot: ttlOf(world),
    });
    const changes = sumByOwner(
      payments.map((payment, index) => ({ ...payment, before: left[index]?.utxo.lovelace ?? 0n })),
      ({ ft, lovelaceShare, depositReturned, before }) => {
        return { lovelace: lovelaceShare + depositReturned - before, tokens: ft };
      },
    );
    land(world, { kind: 'deliver', built: transaction, changes });
    settlement = outputUtxo(transaction, 0);
    left = left.slice(taken);
  }
  return settlement;
}

function deliveryOf(
  world: World,
  { owner, utxo, amount, id, kind }: Deposit,
  shares: ReadonlyMap<string, SettledShare>,
) {
  return {
    utxo,
    script: depositAddress(world, owner).script,
    owner: owner.address,
    invested: lovelace(kind === 'investment' ? amount : 0n),
    ft: shares.get(id)?.ft ?? 0n,
    lovelaceShare: shares.get(id)?.lovelace ?? lovelace(0n),
  };
}

function payLiquidity(world: World, settlement: Utxo, shares: Record<'liquidity' | 'kept', SettledShare>): void {
  const float = settlementFloat(parameters);
  const { transaction: built, topUp } = buildLiquidityPayout(context, {
    settlement,
    float,
    settlementScript: settlementScript({ vaultKeyHash: world.vault.settlementKeyHash }),
    vaultKeyHash: world.vault.settlementKeyHash,
    liquidityAddress: guardOf(world, 'liquidity').address,
    custodyAddress: world.vault.contractAddress,
    operatorAddress: operator.address,
    ftUnit: unitOfFt,
    ...shares,
    ttlSlot: ttlOf(world),
  });
  // The operator gets back what it has lent with the mint.
  land(world, { kind: 'liquidity', built, changes: { operator: { lovelace: float - built.fee - topUp } } });
}

function sumOf(shares: readonly (SettledShare | undefined)[]): SettledShare {
  const sum = (of: keyof SettledShare) => shares.reduce((total, share) => total + (share?.[of] ?? 0n), 0n);
  return { ft: sum('ft'), lovelace: lovelace(sum('lovelace')) };
}
