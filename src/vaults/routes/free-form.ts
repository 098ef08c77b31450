import { z } from 'zod';
import { composed, unseenProblem } from '../../platform/units/visible-text.ts';

const MAX_CHARACTERS = 10_000;
const MAX_DEPTH = 10;

const tooBig = {
  error: 'At most 10,000 characters of JSON, nested at most ten levels deep, with numbers that need no exponent',
  params: { code: 'TOO_BIG' },
  abort: true,
};

/** Free-form JSON that the creator stores with the vault. Others read its texts and the names of its fields. */
export const FreeForm = z
  .record(z.string().max(100), z.unknown())
  .refine(isSmall, tooBig)
  .refine(hasDistinctNames, { error: 'Two fields of one object have the same name, written differently', abort: true })
  .overwrite((value) => withTexts(value, composed) as Record<string, unknown>)
  // Composed, some texts are longer.
  .refine(isSmall, tooBig)
  .check(({ value, issues }) => {
    withTexts(value, (text, path) => {
      const message = unseenProblem(text, { isMultiLine: true });
      if (message !== undefined)
        issues.push({ code: 'custom', input: value, path: [...path], message, params: { code: 'INVALID_TEXT' } });
      return text;
    });
  });

function isSmall(value: unknown): boolean {
  return isBounded(value, MAX_DEPTH) && JSON.stringify(value).length <= MAX_CHARACTERS;
}

function hasDistinctNames(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const names = Object.keys(value);
  return new Set(names.map(composed)).size === names.length && Object.values(value).every(hasDistinctNames);
}

/** Postgres writes numbers without an exponent: each would have three hundred digits for every reader of the vault. */
function isBounded(value: unknown, levels: number): boolean {
  if (typeof value === 'number') return levels >= 0 && /^-?[\d.]+$/.test(String(value));
  if (typeof value !== 'object' || value === null) return levels >= 0;
  return levels >= 0 && Object.values(value).every((inner) => isBounded(inner, levels - 1));
}

/** The same JSON with each text, and each name of a field, as `change` returns it. */
function withTexts(
  value: unknown,
  change: (text: string, path: readonly string[]) => string,
  path: readonly string[] = [],
): unknown {
  if (typeof value === 'string') return change(value, path);
  if (Array.isArray(value)) return value.map((inner, index) => withTexts(inner, change, [...path, String(index)]));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => {
    const at = [...path, name];
    return [change(name, at), withTexts(inner, change, at)];
  });
  return Object.fromEntries(fields) as unknown;
}
