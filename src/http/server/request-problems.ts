import type { z } from 'zod';
import type { FieldProblem } from '../../domain/errors.ts';

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

/** The path of a field, cut to a length that a response can repeat for each problem. */
function fieldPath(path: string): string {
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
      return [{ code: 'REQUIRED', message: 'This field is required', field }];
    }
    return [{ code: codeOf(issue), message: issue.message, field }];
  });
}

/** Finds text that Postgres cannot store (NUL, lone surrogates) anywhere in `input`, also in field names. */
export function unstorableText(input: unknown, part: string): FieldProblem[] {
  return texts(input, part)
    .filter(([text]) => text.includes('\0') || !text.isWellFormed())
    .slice(0, MAX_PROBLEMS)
    .map(([, field]) => ({ code: 'INVALID_TEXT', message: 'Text must be well-formed Unicode without NUL', field }));
}

/** All strings and field names in `input`, with the path of their field. */
function texts(input: unknown, part: string): [text: string, field: string][] {
  const found: [string, string][] = [];
  const pending: [value: unknown, path: string][] = [[input, '']];
  // A list instead of recursion, because a hostile body can nest deeper than the call stack.
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [value, path] = next;
    if (typeof value === 'string') found.push([value, path || part]);
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      found.push([key, path || part]);
      pending.push([child, fieldPath(path ? `${path}.${key}` : key)]);
    }
  }
  return found;
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
