import { z } from 'zod';

const MAX_CHARACTERS = 10_000;
const MAX_DEPTH = 10;

/** Free-form JSON that the creator stores with the vault. */
export const FreeForm = z
  .record(z.string().max(100), z.unknown())
  .refine((value) => isShallow(value, MAX_DEPTH) && JSON.stringify(value).length <= MAX_CHARACTERS, {
    error: 'At most 10,000 characters of JSON, nested at most ten levels deep',
    params: { code: 'TOO_BIG' },
  });

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return levels >= 0;
  return levels >= 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}
