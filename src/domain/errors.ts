export type ErrorType =
  | 'VALIDATION_ERROR'
  | 'AUTHENTICATION_ERROR'
  | 'AUTHORIZATION_ERROR'
  | 'BLOCKCHAIN_ERROR'
  | 'BUSINESS_LOGIC_ERROR'
  | 'EXTERNAL_SERVICE_ERROR'
  | 'SYSTEM_ERROR';

interface RegisteredError {
  readonly type: ErrorType;
  readonly status: number;
  /** The sentence a caller may read. */
  readonly message: string;
  /** Whether the same request can succeed later without being changed. */
  readonly retryable: boolean;
}

const validation = (message: string, status = 400): RegisteredError => ({
  type: 'VALIDATION_ERROR',
  status,
  message,
  retryable: false,
});
const refusal = (message: string, retryable = false): RegisteredError => ({
  type: 'BUSINESS_LOGIC_ERROR',
  status: 400,
  message,
  retryable,
});
const absent = (message: string): RegisteredError => ({
  type: 'BUSINESS_LOGIC_ERROR',
  status: 404,
  message,
  retryable: false,
});
const authentication = (message: string): RegisteredError => ({
  type: 'AUTHENTICATION_ERROR',
  status: 401,
  message,
  retryable: false,
});
const authorization = (message: string): RegisteredError => ({
  type: 'AUTHORIZATION_ERROR',
  status: 403,
  message,
  retryable: false,
});

/** Every failure a caller can meet: raised = registered = documented (design D33). */
export const errorRegistry = {
  INVALID_REQUEST: validation('The request is not valid'),
  INVALID_VAULT_PARAMS: validation('Invalid vault parameters'),
  MALFORMED_JSON: validation('The body is not valid JSON'),
  BODY_TOO_LARGE: validation('The body is too large', 413),
  UNSUPPORTED_MEDIA_TYPE: validation('The body must be application/json', 415),

  API_KEY_REQUIRED: authentication('API key required'),
  INVALID_API_KEY: authentication('Invalid API key'),
  INSUFFICIENT_PERMISSIONS: authorization('Insufficient permissions'),

  ROUTE_NOT_FOUND: absent('There is nothing at this path'),
  VAULT_NOT_FOUND: absent('Vault not found'),
  ASSET_NOT_FOUND: absent('Asset not found'),
  TRANSACTION_NOT_FOUND: absent('Transaction not found'),

  SYSTEM_ERROR: { type: 'SYSTEM_ERROR', status: 500, message: 'Something went wrong on our side', retryable: true },
  RATE_LIMIT_EXCEEDED: { type: 'BUSINESS_LOGIC_ERROR', status: 429, message: 'Too many requests', retryable: true },
} as const satisfies Record<string, RegisteredError>;

export type ErrorCode = keyof typeof errorRegistry;

/** One thing wrong with one field of a request. */
export interface FieldProblem {
  readonly code: string;
  readonly message: string;
  readonly field: string;
}

/** A failure with a registered code. Its details are public; its cause goes to the log only. */
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

/** A refusal of one field of a request: `details.errors` holds {code, message, field}. */
export function fieldError(code: ErrorCode, field: string, message: string): ServiceError {
  return new ServiceError(code, { errors: [{ code, message, field } satisfies FieldProblem] });
}
