import type { Instant } from '../units/instant.ts';
import type { VaultAddressKind } from './vault-address.ts';

/** Lovelace, and base units of assets by unit (policy id followed by the name). */
export interface Balance {
  readonly lovelace: bigint;
  readonly assets: ReadonlyMap<string, bigint>;
}

/** What one transaction put to, or took from, one address of a vault. */
export interface Movement extends Balance {
  readonly at: Instant;
  /** Null where the service does not know which transaction spent an output. */
  readonly transactionHash: string | null;
  readonly direction: 'in' | 'out';
  readonly address: string;
  readonly place: VaultAddressKind;
}

/** A balance after movements; assets that are used up are left out. */
export function balanceAfter(opening: Balance, movements: readonly Movement[]): Balance {
  const assets = new Map(opening.assets);
  let { lovelace } = opening;
  for (const { direction, lovelace: moved, assets: movedAssets } of movements) {
    const sign = direction === 'in' ? 1n : -1n;
    lovelace += sign * moved;
    for (const [unit, quantity] of movedAssets) assets.set(unit, (assets.get(unit) ?? 0n) + sign * quantity);
  }
  return { lovelace, assets: new Map([...assets].filter(([, quantity]) => quantity !== 0n)) };
}
