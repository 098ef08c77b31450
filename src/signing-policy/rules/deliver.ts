import type { Unit, Utxo } from '../../cardano/transaction.ts';
import type { OwedDelivery } from '../../settlement/rules/deposits.ts';
import { refText } from '../../transactions/rules.ts';
import type { DeliveryEvidence, LiquidityEvidence } from '../evidence.ts';
import {
  type Rule,
  type SigningRequest,
  assertAllowed,
  gainOf,
  lifetime,
  requireAssetsGained,
  requireInputsAt,
  requireLovelaceLostAtMost,
  requireOutputsAt,
  sumOf,
} from '../policy.ts';
import { requireAsCommitted, requireDeposit, requireInvestorsFirst } from './settlement.ts';

interface Delivered extends OwedDelivery {
  readonly held: Utxo;
}

/**
 * Deposits settle by the plan that the mint has committed to: their owners, whom the ledger names in the scripts of the deposits, get what
 * is owed for them and the rest of their delivery deposits, custody gets the assets, the settlement the invested ADA.
 */
export const deliver: Rule<DeliveryEvidence> = {
  keys: ['vault'],
  mayCarry: [],
  lifetimeSeconds: lifetime.prepared,
  evaluate(request, { vault, ftUnit, owed, plan }) {
    const delivered = deliveredOf(request, { vault, owed });
    requireAsCommitted(request, vault, delivered, plan);
    requireInvestorsFirst(request, { settlement: vault.settlement, ftUnit, delivered }, plan);
    const owners = Map.groupBy(delivered, ({ owner }) => owner);
    requireOutputsAt(request, [vault.settlement, vault.custody, ...owners.keys()]);
    requireAssetsGained(request, [vault.custody], sumOf(delivered.map(({ held }) => held)).assets);
    requireSettlement(request, vault.settlement, ftUnit, delivered);
    for (const [owner, theirs] of owners) requirePaid(request, owner, ftUnit, theirs, delivered.length);
  },
};

/** Every input but those of the settlement, each at the deposit address of the owner to whom something is owed for it. */
function deliveredOf(request: SigningRequest, { vault, owed }: Pick<DeliveryEvidence, 'vault' | 'owed'>): Delivered[] {
  const byDeposit = new Map(owed.map((one) => [refText(one.deposit), one]));
  const deposits = request.spent.filter(({ address }) => address !== vault.settlement);
  return deposits.map((held) => {
    const one = byDeposit.get(refText(held));
    assertAllowed(one !== undefined, `nothing is owed for ${refText(held)}`);
    requireDeposit(request, vault, held, one);
    return { ...one, held };
  });
}

function requireSettlement(
  request: SigningRequest,
  settlement: string,
  ftUnit: Unit,
  delivered: readonly Delivered[],
): void {
  const ft = delivered.reduce((sum, one) => sum + one.ft, 0n);
  const paid = delivered.reduce((sum, one) => sum + one.lovelace - one.invested, 0n);
  requireAssetsGained(request, [settlement], new Map([[ftUnit, -ft]]));
  requireLovelaceLostAtMost(request, [settlement], paid);
}

function requirePaid(
  request: SigningRequest,
  owner: string,
  ftUnit: Unit,
  theirs: readonly Delivered[],
  among: number,
): void {
  const gain = gainOf(request, [owner]);
  const sum = (amount: (one: Delivered) => bigint) => theirs.reduce((total, one) => total + amount(one), 0n);
  requireAssetsGained(request, [owner], new Map([[ftUnit, sum(({ ft }) => ft)]]));
  const part = request.transaction.fee / BigInt(among) + 1n;
  const least = sum(({ held, invested, lovelace }) => {
    const custody = held.assets.size === 0 ? 0n : adaInCustody(request, held);
    return lovelace + held.lovelace - invested - custody - part;
  });
  assertAllowed(gain.lovelace >= least, `${owner} gets ${gain.lovelace} lovelace, at least ${least} are owed`);
}

/** The most lovelace that moves to custody with the asset of a deposit. */
function adaInCustody({ transaction, minAda }: SigningRequest, { assets }: Utxo): bigint {
  const [unit] = assets.keys();
  const amounts = transaction.outputs
    .filter((output) => unit && output.assets.has(unit))
    .map(({ lovelace }) => lovelace);
  const most = amounts.reduce<bigint>((largest, amount) => (amount > largest ? amount : largest), 0n);
  return most < minAda.ofToken ? most : minAda.ofToken;
}

/** The last transaction of a settlement: all that is left stays with the vault, and the operator gets its float back at most. */
export const liquidity: Rule<LiquidityEvidence> = {
  keys: ['vault'],
  mayCarry: [],
  lifetimeSeconds: lifetime.prepared,
  evaluate(request, { vault, liquidityAddress, float }) {
    const { operator, transaction } = request;
    requireInputsAt(request, [vault.settlement]);
    requireOutputsAt(request, [liquidityAddress, vault.custody, operator]);
    const gain = gainOf(request, [operator]);
    assertAllowed(gain.assets.size === 0, "the operator gets the vault's tokens");
    assertAllowed(
      gain.lovelace + transaction.fee <= float,
      `the operator gets ${gain.lovelace} lovelace of a float of ${float}`,
    );
  },
};
