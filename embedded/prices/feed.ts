import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** A price that was set: lovelace per whole token. With `asOf` it keeps its time and becomes stale. */
export const SetPrice = z.strictObject({
  lovelace: z.string().regex(/^(0|[1-9]\d{0,17})$/, 'must be a decimal string'),
  decimals: z.int().min(0).max(18).default(0),
  asOf: z.iso.datetime().optional(),
  supply: z
    .string()
    .regex(/^\d{1,38}$/)
    .optional(),
  depth: z
    .string()
    .regex(/^\d{1,38}$/)
    .optional(),
});

export type SetPrice = z.infer<typeof SetPrice>;

const SetPrices = z.record(z.string(), SetPrice);

/** Prices by unit (policy id + asset name in hex); a price set for a policy counts for all its assets without their own. */
export interface Prices {
  of(policyId: string, assetNameHex: string): SetPrice;
  set(unit: string, price: SetPrice): void;
}

/** Prices in memory only. */
export function memoryPrices(): Prices {
  return pricesFrom(new Map(), () => undefined);
}

/** Prices in a file in `folder`, replaced atomically so that a kill leaves the old file or the new one. */
export function filePrices(folder: string): Prices {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'prices.json');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '{}';
  const known = new Map(Object.entries(SetPrices.parse(JSON.parse(text))));
  return pricesFrom(known, () => {
    writeFileSync(`${path}.new`, JSON.stringify(Object.fromEntries(known)));
    renameSync(`${path}.new`, path);
  });
}

function pricesFrom(known: Map<string, SetPrice>, keep: () => void): Prices {
  return {
    of: (policyId, assetNameHex) =>
      known.get(policyId + assetNameHex) ?? known.get(`${policyId}*`) ?? defaultPrice(policyId + assetNameHex),
    set(unit, price) {
      known.set(unit, price);
      keep();
    },
  };
}

// Between 50 and 550 ADA, the same for a unit on every machine.
function defaultPrice(unit: string): SetPrice {
  const draw = createHash('sha256').update(unit).digest().readUInt32BE();
  return { lovelace: String(50_000_000 + (draw % 500_000_001)), decimals: 0 };
}
