import type { z } from 'zod';

/** A body with more wrong than this is refused for that alone: each repair copies what lies along its path. */
const MOST_REPAIRS = 100;

/**
 * A refused body with the values of `example` where its schema refused it, so that the rest can be judged too; undefined when
 * even that does not help.
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
  if (paths.length > MOST_REPAIRS) return undefined;
  return schema.safeParse(paths.reduce((value, path) => replaced(value, path, example), body)).data;
}

/** Copies along the path only: what lies beside it may nest deeper than the call stack. */
function replaced(value: unknown, [step, ...rest]: readonly PropertyKey[], example: unknown): unknown {
  if (step === undefined || !isObject(value) || Array.isArray(value)) return example;
  const { [step]: present, ...others } = value;
  const child = replaced(present, rest, isObject(example) ? example[step] : undefined);
  return child === undefined ? others : { ...others, [step]: child };
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}
