import type { z } from 'zod';
import { type ErrorCode, type FieldProblem, ServiceError } from '../errors/errors.ts';
import { requestMessages } from './request-messages.ts';
import { MAX_PROBLEMS, problemsOf, unusableText } from './request-problems.ts';

/** Input of a request as express reads it. */
export interface RawInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

type Part = keyof RawInput;

/**
 * Parses the given parts of a request, and checks that its texts can be stored unless it passes them on. Throws `invalidCode` with
 * the problems of all parts, at most MAX_PROBLEMS.
 */
export function parseRequest<Schemas extends Partial<Record<Part, z.ZodType>>>(
  schemas: Schemas,
  input: RawInput,
  invalidCode: ErrorCode,
  passesOn = false,
): { [P in keyof Schemas]: z.output<Schemas[P]> } {
  const problems: FieldProblem[] = [];
  const parsed: Partial<Record<Part, unknown>> = {};
  for (const [part, schema] of Object.entries(schemas) as [Part, z.ZodType][]) {
    const value = input[part];
    const result = schema.safeParse(value, { error: requestMessages });
    if (result.success) parsed[part] = result.data;
    if (!passesOn) problems.push(...unusableText(value, part));
    problems.push(...problemsOf(result.error?.issues ?? [], value, part));
  }
  if (problems.length > 0) throw new ServiceError(invalidCode, { errors: problems.slice(0, MAX_PROBLEMS) });
  return parsed as { [P in keyof Schemas]: z.output<Schemas[P]> };
}
