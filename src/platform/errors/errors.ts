import { accessErrors } from './access-errors.ts';
import { claimErrors } from './claim-errors.ts';
import { developmentErrors } from './development-errors.ts';
import { governanceErrors } from './governance-errors.ts';
import { notFoundErrors } from './not-found-errors.ts';
import { requestErrors } from './request-errors.ts';
import { systemErrors } from './system-errors.ts';
import { vaultErrors } from './vault-errors.ts';

/** All errors that a caller can get: every code is thrown, registered and documented (design D33). */
export const errorRegistry = {
  ...requestErrors,
  ...accessErrors,
  ...notFoundErrors,
  ...vaultErrors,
  ...governanceErrors,
  ...claimErrors,
  ...systemErrors,
  ...developmentErrors,
};

export type ErrorCode = keyof typeof errorRegistry;

/** A problem of one field of a request. */
export interface FieldProblem {
  readonly code: string;
  readonly message: string;
  readonly field: string;
}

/** An error with a registered code. Its details are public; its cause is only logged. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, details?: Readonly<Record<string, unknown>>, options?: ErrorOptions) {
    super(errorRegistry[code].message, options);
    this.code = code;
    this.details = details;
  }
}

/** The same error, about this field of a request. An error that names fields already stays as it is. */
export function atField(error: ServiceError, field: string): ServiceError {
  const { code, message, details } = error;
  if (details?.['errors'] !== undefined) return error;
  const problem: FieldProblem = { code, message, field };
  return new ServiceError(code, { ...details, errors: [problem] }, { cause: error });
}

/** An error about one field of a request: `details.errors` holds {code, message, field}. */
export function fieldError(code: ErrorCode, field: string, message: string): ServiceError {
  return new ServiceError(code, { errors: [{ code, message, field } satisfies FieldProblem] });
}
