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

/** Goes level by level instead of recursively: a hostile body can be nested deeper than the call stack. */
function isShallow(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return false;
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null ? Object.values(item as Record<string, unknown>) : [],
    );
  }
  return true;
}
