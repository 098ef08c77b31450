import type { Unit, Utxo } from '../../cardano/transaction.ts';
import { lovelace } from '../units/money.ts';
import { type Instant, instant, isoText } from '../units/time.ts';
import type { CustomPrice } from '../../prices/rules.ts';
import type { UtxoRef, Cosigners } from '../../transactions/rules.ts';
import type { RegisteredCosigners, VaultCustody } from '../../vaults/rules/vault.ts';

/** JSON text with every bigint as a decimal string. */
export function jsonWithAmountsAsText(fields: object): string {
  return JSON.stringify(fields, (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

/** A time inside a column of JSON: ISO 8601 text. */
export type JsonTime = string;

/** Reads a time as the driver reads one in a column of its own: without its microseconds. */
export function jsonInstant(time: JsonTime): Instant {
  return instant(new Date(time));
}

/** A row as `to_jsonb` returns it. Its amounts must be added again as text: a JSON number loses what is above 2^53. */
export type JsonRow<Row> = {
  readonly [Column in keyof Row]: Date extends Row[Column] ? JsonTime | Extract<Row[Column], null> : Row[Column];
};

/** Reads the time of a column that may be null as the driver does. */
export function jsonDate(time: JsonTime | null): Date | null {
  return time === null ? null : new Date(time);
}

/** A UTxO as it is stored in JSON: amounts as decimal strings. */
export interface StoredUtxo extends UtxoRef {
  readonly address: string;
  readonly lovelace: string;
  readonly assets: Readonly<Record<Unit, string>>;
}

/** The JSON-safe form of a UTxO. */
export function storedUtxo({ txHash, index, address, lovelace: coin, assets }: Utxo): StoredUtxo {
  return {
    txHash,
    index,
    address,
    lovelace: coin.toString(),
    assets: Object.fromEntries([...assets].map(([unit, quantity]) => [unit, quantity.toString()])),
  };
}

/** Reads a UTxO that `storedUtxo` wrote. */
export function readStoredUtxo(stored: StoredUtxo): Utxo {
  return {
    txHash: stored.txHash,
    index: stored.index,
    address: stored.address,
    lovelace: lovelace(BigInt(stored.lovelace)),
    assets: new Map(Object.entries(stored.assets).map(([unit, quantity]) => [unit, BigInt(quantity)])),
  };
}

/** Registered cosigners as JSON. */
export interface StoredCosigners extends Cosigners {
  readonly aloneFrom: string;
  readonly aloneFromSlot: number;
}

export function storedCosigners({ required, keyHashes, alone }: RegisteredCosigners): StoredCosigners {
  return { required, keyHashes, aloneFrom: isoText(alone.from), aloneFromSlot: alone.fromSlot };
}

export function readCosigners({ aloneFrom, aloneFromSlot, ...cosigners }: StoredCosigners): RegisteredCosigners {
  return { ...cosigners, alone: { from: instant(new Date(aloneFrom)), fromSlot: aloneFromSlot } };
}

/** A custody of a vault as JSON. */
export interface StoredCustody extends Omit<VaultCustody, 'cosigners'> {
  readonly cosigners: StoredCosigners | null;
}

export function storedCustody({ vaultKeyHash, cosigners, contractAddress }: VaultCustody): StoredCustody {
  return { vaultKeyHash, cosigners: cosigners && storedCosigners(cosigners), contractAddress };
}

export function readCustody({ cosigners, ...custody }: StoredCustody): VaultCustody {
  return { ...custody, cosigners: cosigners && readCosigners(cosigners) };
}

/** A custom price as JSON. */
export interface StoredCustomPrice {
  readonly policyId: string;
  readonly assetName: string;
  readonly lovelace: string;
  readonly decimals: number;
  readonly maxQuantity?: number | undefined;
  readonly setAt: string;
}

export function storedCustomPrice(price: CustomPrice): StoredCustomPrice {
  return { ...price, lovelace: price.lovelace.toString(), setAt: isoText(price.setAt) };
}

export function readCustomPrice(stored: StoredCustomPrice): CustomPrice {
  return { ...stored, lovelace: lovelace(BigInt(stored.lovelace)), setAt: instant(new Date(stored.setAt)) };
}
