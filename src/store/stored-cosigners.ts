import type { Cosigners } from '../domain/transaction/signatures.ts';
import { instant, isoText } from '../domain/units/instant.ts';
import type { RegisteredCosigners } from '../domain/vault/registered-cosigners.ts';

/** Registered cosigners as JSON. Rows of before 2026-11-23 have neither date nor slot. */
export interface StoredCosigners extends Cosigners {
  readonly aloneFrom?: string;
  readonly aloneFromSlot?: number;
}

export function storedCosigners({ required, keyHashes, alone }: RegisteredCosigners): StoredCosigners {
  const dated = alone && { aloneFrom: isoText(alone.from), aloneFromSlot: alone.fromSlot };
  return { required, keyHashes, ...dated };
}

export function readCosigners({ aloneFrom, aloneFromSlot, ...cosigners }: StoredCosigners): RegisteredCosigners {
  if (aloneFrom === undefined || aloneFromSlot === undefined) return { ...cosigners, alone: null };
  return { ...cosigners, alone: { from: instant(new Date(aloneFrom)), fromSlot: aloneFromSlot } };
}
