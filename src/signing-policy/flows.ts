import type { Holding, Unit } from '../cardano/transaction.ts';
import { readPaymentKeyHash } from '../cardano/scripts/address.ts';
import { type Judged, requireJust } from './judged.ts';

/** What something has more, or below zero less. */
export interface Change {
  readonly lovelace: bigint;
  /** Units that did not change are left out. */
  readonly assets: ReadonlyMap<Unit, bigint>;
}

/** What addresses have more after a transaction than before it. */
export function gainOf({ transaction, spent }: Judged, addresses: readonly string[]): Change {
  const at = ({ address }: Holding) => addresses.includes(address);
  return difference(sumOf(transaction.outputs.filter(at)), sumOf(spent.filter(at)));
}

/** Everything that holdings have together. */
export function sumOf(holdings: Iterable<Pick<Holding, 'lovelace' | 'assets'>>): Change {
  let lovelace = 0n;
  const assets = new Map<Unit, bigint>();
  for (const holding of holdings) {
    lovelace += holding.lovelace;
    for (const [unit, quantity] of holding.assets) assets.set(unit, (assets.get(unit) ?? 0n) + quantity);
  }
  return { lovelace, assets };
}

/** One less the other. */
export function difference(one: Change, other: Change): Change {
  const assets = new Map(one.assets);
  for (const [unit, quantity] of other.assets) assets.set(unit, (assets.get(unit) ?? 0n) - quantity);
  return {
    lovelace: one.lovelace - other.lovelace,
    assets: new Map([...assets].filter(([, quantity]) => quantity !== 0n)),
  };
}

/** Whether both are the same quantities of the same units; zero is none. */
export function equalAssets(one: ReadonlyMap<Unit, bigint>, other: ReadonlyMap<Unit, bigint>): boolean {
  return [...new Set([...one.keys(), ...other.keys()])].every(
    (unit) => (one.get(unit) ?? 0n) === (other.get(unit) ?? 0n),
  );
}

/** The opposite of quantities. */
export function negated(assets: ReadonlyMap<Unit, bigint>): Map<Unit, bigint> {
  return new Map([...assets].map(([unit, quantity]) => [unit, -quantity]));
}

/** Throws unless every input is at one of these addresses. */
export function requireInputsAt({ spent }: Pick<Judged, 'spent'>, addresses: readonly string[]): void {
  const other = spent.find(({ address }) => !addresses.includes(address));
  requireJust(!other, `it spends an output at ${other?.address}`);
}

/**
 * Throws unless every input is at one of these addresses or in a wallet, which signs for it. A signature of a vault's key would unlock
 * whatever else that key guards.
 */
export function requireInputsAtOrOfWallets(judged: Judged, addresses: readonly string[]): void {
  const { operator } = judged;
  const ofWallet = ({ address }: Holding) => address !== operator && readPaymentKeyHash(address) !== undefined;
  requireInputsAt({ spent: judged.spent.filter((input) => !ofWallet(input)) }, addresses);
}

/** Throws unless every output is at one of these addresses. */
export function requireOutputsAt({ transaction }: Judged, addresses: readonly string[]): void {
  const other = transaction.outputs.find(({ address }) => !addresses.includes(address));
  requireJust(!other, `it pays ${other?.address}`);
}

/** Throws unless the operator gains nothing and loses nothing but lovelace. */
export function requireOperatorGainsNothing(judged: Judged): void {
  const gain = gainOf(judged, [judged.operator]);
  requireJust(gain.assets.size === 0, 'it changes which assets the operator has');
  requireJust(gain.lovelace <= 0n, `the operator gains ${gain.lovelace} lovelace`);
}

/** Throws unless these addresses gain exactly these assets, and lose none. */
export function requireAssetsGained(
  judged: Judged,
  addresses: readonly string[],
  assets: ReadonlyMap<Unit, bigint>,
): void {
  requireJust(
    equalAssets(gainOf(judged, addresses).assets, assets),
    `other assets than meant move at ${addresses.join()}`,
  );
}

/** Throws when these addresses lose more lovelace than this. */
export function requireLovelaceLostAtMost(judged: Judged, addresses: readonly string[], atMost: bigint): void {
  const lost = -gainOf(judged, addresses).lovelace;
  requireJust(lost <= atMost, `${addresses.join()} lose ${lost} lovelace, above ${atMost}`);
}
