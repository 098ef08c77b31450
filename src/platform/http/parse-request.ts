import { z } from 'zod';
import type { ErrorCode, FieldProblem } from '../error-registry.ts';
import { ServiceError } from '../errors.ts';
import type { RouteKind } from './route-kinds.ts';

/** Input of a request as express reads it. */
export interface RawInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

type Part = keyof RawInput;

/**
 * Parses the given parts of a request, and checks that its texts can be stored; the operations in a batch check their own. Throws
 * `invalidCode` with the problems of all parts, at most MAX_PROBLEMS.
 */
export function parseRequest<Schemas extends Partial<Record<Part, z.ZodType>>>(
  schemas: Schemas,
  input: RawInput,
  invalidCode: ErrorCode,
  kind?: RouteKind,
): { [P in keyof Schemas]: z.output<Schemas[P]> } {
  const problems: FieldProblem[] = [];
  const parsed: Partial<Record<Part, unknown>> = {};
  for (const [part, schema] of Object.entries(schemas) as [Part, z.ZodType][]) {
    const value = input[part];
    const result = schema.safeParse(value, { error: requestMessages });
    if (result.success) parsed[part] = result.data;
    if (kind !== 'batch') problems.push(...unusableText(value, part));
    problems.push(...problemsOf(result.error?.issues ?? [], value, part));
  }
  if (problems.length > 0) throw new ServiceError(invalidCode, { errors: problems.slice(0, MAX_PROBLEMS) });
  return parsed as { [P in keyof Schemas]: z.output<Schemas[P]> };
}

/** Upper limit of reported problems, so that a response is not many times larger than its request. */
export const MAX_PROBLEMS = 100;

const codes: Partial<Record<z.core.$ZodIssue['code'], string>> = {
  invalid_type: 'INVALID_TYPE',
  too_small: 'TOO_SMALL',
  too_big: 'TOO_BIG',
  invalid_format: 'INVALID_FORMAT',
  invalid_value: 'VALUE_NOT_ALLOWED',
  not_multiple_of: 'INVALID_VALUE',
};

/** A path holds names that the caller chose: a longer one would make the response, and the log, many times larger than the request. */
const MAX_FIELD_LENGTH = 200;

/** The path of a field, cut to a length that a response can repeat for each problem; `""` is a field without a name. */
function fieldPath(path: string): string {
  if (path === '') return '""';
  return path.length <= MAX_FIELD_LENGTH ? path : `${path.slice(0, MAX_FIELD_LENGTH - 1)}…`;
}

/** Problems of one part of a request, each with the dotted path of its field; `part` is the path of the whole part. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], input: unknown, part: string): FieldProblem[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      const field = (key: string) => fieldPath([...issue.path, key].join('.'));
      return issue.keys.slice(0, MAX_PROBLEMS).map((key) => {
        return { code: 'UNKNOWN_FIELD', message: issue.message, field: field(key) };
      });
    }
    const field = issue.path.length === 0 ? part : fieldPath(issue.path.join('.'));
    if (issue.path.length > 0 && valueAt(input, issue.path) === undefined) {
      return [{ code: 'REQUIRED', message: 'This field is required.', field }];
    }
    return [{ code: codeOf(issue), message: issue.message, field }];
  });
}

/** An object or a list whose content is being visited. */
interface Level {
  /** The items of a list, or the values of the fields of an object. */
  readonly values: readonly unknown[];
  /** Names of the fields; null for a list. */
  readonly names: readonly string[] | null;
  /** Position of the field that is visited. */
  at: number;
}

/**
 * Finds text that Postgres cannot store (NUL, lone surrogates) anywhere in `input`, also in field names, and fields named `__proto__`,
 * which the schemas of records leave out. Only the path of such a field is built: a large body has more fields than time for paths.
 */
export function unusableText(input: unknown, part: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  // A list instead of recursion: it is the path of what is visited.
  const levels: Level[] = [];
  const visit = (value: unknown) => {
    // Bytes hold no text, and one message of a socket can name the same ones hundreds of times.
    if (ArrayBuffer.isView(value)) return;
    if (typeof value === 'object' && value !== null) levels.push(levelOf(value));
    else if (typeof value === 'string' && !isStorable(value)) problems.push(invalidText(pathOf(levels) || part));
  };
  visit(input);
  for (let level = levels.at(-1); level && problems.length < MAX_PROBLEMS; level = levels.at(-1)) {
    level.at += 1;
    if (level.at === level.values.length) {
      levels.pop();
      continue;
    }
    const name = level.names?.[level.at];
    if (name !== undefined && !isStorable(name)) problems.push(invalidText(pathOf(levels.slice(0, -1)) || part));
    if (name === '__proto__')
      problems.push({ code: 'UNKNOWN_FIELD', message: 'Unknown field.', field: pathOf(levels) });
    visit(level.values[level.at]);
  }
  return problems.slice(0, MAX_PROBLEMS);
}

function levelOf(value: object): Level {
  if (Array.isArray(value)) return { values: value, names: null, at: -1 };
  return { values: Object.values(value), names: Object.keys(value), at: -1 };
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function invalidText(field: string): FieldProblem {
  return { code: 'INVALID_TEXT', message: 'Text must be well-formed Unicode without NUL.', field };
}

/** The path of the field that is visited, built no further than it is shown. */
function pathOf(levels: readonly Level[]): string {
  let path = '';
  for (const { names, at } of levels) {
    if (path.length > MAX_FIELD_LENGTH) break;
    const name = names?.[at] ?? String(at);
    path = path === '' ? name : `${path}.${name}`;
  }
  return levels.length === 0 ? '' : fieldPath(path);
}

function codeOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'custom' && typeof issue.params?.['code'] === 'string') return issue.params['code'];
  return codes[issue.code] ?? 'INVALID_VALUE';
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );
}

/** The message for a field that takes one of some values. */
export function oneOf(values: readonly unknown[]): string {
  return `Must be one of ${values.join(', ')}.`;
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
  email: 'an email address',
  url: 'a URL',
  datetime: 'a time in ISO 8601 with a time zone, such as 2026-01-31T12:00:00Z',
};

type Raw<Code extends z.core.$ZodIssue['code']> = Extract<z.core.$ZodRawIssue, { code: Code }>;

const messages: { readonly [Code in z.core.$ZodIssue['code']]?: (issue: Raw<Code>) => string } = {
  invalid_type: ({ expected }) => `Must be ${kinds[expected] ?? expected}.`,
  invalid_format: ({ format }) => `Must be ${formats[format] ?? 'in the documented format'}.`,
  invalid_value: ({ values }) => oneOf(values),
  too_small: ({ origin, minimum, inclusive }) =>
    inclusive === false ? `Must be above ${minimum}.` : bound(origin, 'least', minimum),
  too_big: ({ origin, maximum, inclusive }) =>
    inclusive === false ? `Must be below ${maximum}.` : bound(origin, 'most', maximum),
  unrecognized_keys: ({ inst }) => unknownField(inst),
};

/** The message for an invalid value whose schema has no message of its own. */
export const requestMessages: z.core.$ZodErrorMap = (issue) => {
  const messageOf = messages[issue.code] as ((raw: typeof issue) => string) | undefined;
  return messageOf?.(issue) ?? 'This value is not one of the accepted values.';
};

function bound(origin: string, side: 'least' | 'most', limit: number | bigint): string {
  if (origin === 'string') return `Must have at ${side} ${limit} character${limit === 1 ? '' : 's'}.`;
  if (origin === 'array') return `Must have at ${side} ${limit} ${limit === 1 ? 'entry' : 'entries'}.`;
  return `Must be at ${side} ${limit}.`;
}

function unknownField(schema: unknown): string {
  const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return `Unknown field. ${fields.length === 0 ? 'This request accepts no fields.' : `Known fields: ${fields.join(', ')}.`}`;
}
