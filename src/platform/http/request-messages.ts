import { z } from 'zod';

/** The message for a field that takes one of some values. */
export function oneOf(values: readonly unknown[]): string {
  return `One of ${values.join(', ')}`;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const formats: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  email: 'an e-mail address',
  url: 'a URL',
  datetime: 'a time in ISO 8601 with its time zone, as 2026-01-31T12:00:00Z',
};

type Raw<Code extends z.core.$ZodIssue['code']> = Extract<z.core.$ZodRawIssue, { code: Code }>;

const messages: { readonly [Code in z.core.$ZodIssue['code']]?: (issue: Raw<Code>) => string } = {
  invalid_type: ({ expected }) => `Must be ${kinds[expected] ?? expected}`,
  invalid_format: ({ format }) => `Must be ${formats[format] ?? 'of another form'}`,
  invalid_value: ({ values }) => oneOf(values),
  too_small: ({ origin, minimum, inclusive }) =>
    inclusive === false ? `Must be above ${minimum}` : bound(origin, 'least', minimum),
  too_big: ({ origin, maximum, inclusive }) =>
    inclusive === false ? `Must be below ${maximum}` : bound(origin, 'most', maximum),
  unrecognized_keys: ({ inst }) => unknownField(inst),
};

/** The message for an invalid value whose schema has no message of its own. */
export const requestMessages: z.core.$ZodErrorMap = (issue) => {
  const messageOf = messages[issue.code] as ((raw: typeof issue) => string) | undefined;
  return messageOf?.(issue) ?? 'This value is not valid here';
};

function bound(origin: string, side: 'least' | 'most', limit: number | bigint): string {
  if (origin === 'string') return `Must have at ${side} ${limit} character${limit === 1 ? '' : 's'}`;
  if (origin === 'array') return `Must have at ${side} ${limit} ${limit === 1 ? 'entry' : 'entries'}`;
  return `Must be at ${side} ${limit}`;
}

function unknownField(schema: unknown): string {
  const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return `There is no such field; ${fields.length === 0 ? 'none is taken here' : `there are ${fields.join(', ')}`}`;
}
