import { mapInBatches } from './async.ts';
import { type DetailsOf, type ErrorCode, errorRegistry, type FieldProblem } from './error-registry.ts';

/** An error with a registered code. Its details are public; its cause is only logged. */
export interface ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown> & { errors?: FieldProblem[] }> | undefined;
}

/** Checks the details by the code. A class cannot: its constructor has no type parameters of its own. */
interface ServiceErrorConstructor {
  new <Code extends ErrorCode = ErrorCode>(code: Code, details?: DetailsOf<Code>, options?: ErrorOptions): ServiceError;
  readonly prototype: ServiceError;
}

export const ServiceError: ServiceErrorConstructor = class extends Error implements ServiceError {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: ServiceError['details'];

  constructor(code: ErrorCode, details?: DetailsOf<ErrorCode>, options?: ErrorOptions) {
    super(errorRegistry[code].message, options);
    this.code = code;
    this.details = details as ServiceError['details'];
  }
};

/** The same error with more details. */
export function withDetails(error: ServiceError, details: DetailsOf<ErrorCode>): ServiceError {
  const all = { ...error.details, ...details } as DetailsOf<ErrorCode>;
  return new ServiceError(error.code, all, { cause: error });
}

/** The same error, about this field of a request. An error that names fields already stays as it is. */
export function atField(error: ServiceError, field: string): ServiceError {
  const { code, message, details } = error;
  return details?.errors ? error : withDetails(error, { errors: [{ code, message, field }] });
}

/** An error about one field of a request: `details.errors` holds {code, message, field}. */
export function fieldError(code: ErrorCode, field: string, message: string): ServiceError {
  return new ServiceError(code, { errors: [{ code, message, field }] });
}

/** Throws an AggregateError of everything that failed, and `summary` or else the failures' own texts as its message. */
export function throwFailures(failures: readonly unknown[], summary = failures.map(String).join('; ')): void {
  if (failures.length > 0) throw new AggregateError(failures, summary);
}

/** Does something for all items, a few at once, and continues past those that fail. Returns what failed. */
export async function settleAll<T>(
  items: readonly T[],
  atOnce: number,
  act: (item: T) => Promise<unknown>,
): Promise<unknown[]> {
  const failures: unknown[] = [];
  await mapInBatches(items, atOnce, async (item) => {
    try {
      await act(item);
    } catch (error) {
      failures.push(error);
    }
  });
  return failures;
}

/** Runs tasks, as many as `atOnce` together, all of them whatever fails. Throws an AggregateError of what failed at the end. */
export async function runAll(tasks: readonly (() => Promise<unknown>)[], atOnce: number): Promise<void> {
  throwFailures(await settleAll(tasks, atOnce, (run) => run()));
}
