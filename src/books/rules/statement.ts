import type { Instant } from '../../platform/units/instant.ts';
import type { VaultAddressKind } from '../../vaults/rules/vault-address.ts';

/** Lovelace, and base units of assets by unit (policy id followed by the name). */
export interface Balance {
  readonly lovelace: bigint;
  readonly assets: ReadonlyMap<string, bigint>;
}

/** A balance that lists no more than some units of others: anybody can send any number of them. */
export interface BoundedBalance extends Balance {
  /** How many units are not among its assets. */
  readonly unlistedUnits: number;
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
