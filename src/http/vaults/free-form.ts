import { z } from 'zod';

const MAX_CHARACTERS = 10_000;
const MAX_DEPTH = 10;

/** Free-form JSON that the creator stores with the vault. */
export const FreeForm = z
  .record(z.string().max(100), z.unknown())
  .refine((value) => isBounded(value, MAX_DEPTH) && JSON.stringify(value).length <= MAX_CHARACTERS, {
    error: 'At most 10,000 characters of JSON, nested at most ten levels deep, with numbers that need no exponent',
    params: { code: 'TOO_BIG' },
  });

/** Postgres writes numbers without an exponent: each would have three hundred digits for every reader of the vault. */
function isBounded(value: unknown, levels: number): boolean {
  if (typeof value === 'number') return levels >= 0 && /^-?[\d.]+$/.test(String(value));
  if (typeof value !== 'object' || value === null) return levels >= 0;
  return levels >= 0 && Object.values(value).every((inner) => isBounded(inner, levels - 1));
}
