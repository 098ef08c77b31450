import type { CustomPrice } from '../rules/custom-price.ts';
import { instant, isoText } from '../../platform/units/instant.ts';
import { lovelace } from '../../platform/units/money.ts';

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
