import type { Cosigners } from '../../transactions/rules/signatures.ts';
import { instant, isoText } from '../../platform/units/instant.ts';
import type { RegisteredCosigners } from '../../vaults/rules/registered-cosigners.ts';

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
