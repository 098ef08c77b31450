import type { z } from 'zod';

/** A limit on the work for a hostile body: each replacement copies the objects along its path. */
const MAX_REPLACEMENTS = 100;

/**
 * The body with the values of `example` in place of those that the schema refuses, so that the other fields can be checked.
 * Undefined when too many are refused, or when the result is still not valid.
 */
export function replaceInvalidFields<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  example: z.input<Schema>,
): z.output<Schema> | undefined {
  const issues = schema.safeParse(body).error?.issues ?? [];
  const paths = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path],
  );
  if (paths.length > MAX_REPLACEMENTS) return undefined;
  return schema.safeParse(paths.reduce((value, path) => replaceAt(value, path, example), body)).data;
}

/** Copies only the objects along the path. */
function replaceAt(value: unknown, [step, ...rest]: readonly PropertyKey[], example: unknown): unknown {
  if (step === undefined || !isObject(value) || Array.isArray(value)) return example;
  const { [step]: present, ...others } = value;
  const child = replaceAt(present, rest, isObject(example) ? example[step] : undefined);
  return child === undefined ? others : { ...others, [step]: child };
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}
