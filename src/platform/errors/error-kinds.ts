type ErrorType =
  | 'VALIDATION_ERROR'
  | 'AUTHENTICATION_ERROR'
  | 'AUTHORIZATION_ERROR'
  | 'BLOCKCHAIN_ERROR'
  | 'BUSINESS_LOGIC_ERROR'
  | 'EXTERNAL_SERVICE_ERROR'
  | 'SYSTEM_ERROR';

export interface RegisteredError {
  readonly type: ErrorType;
  /** HTTP status. */
  readonly status: number;
  /** Public description of the error. */
  readonly message: string;
  /** Whether the same request can succeed later. */
  readonly retryable: boolean;
}

export const validationError = (message: string, status = 400): RegisteredError => ({
  type: 'VALIDATION_ERROR',
  status,
  message,
  retryable: false,
});
export const businessError = (message: string, retryable = false): RegisteredError => ({
  type: 'BUSINESS_LOGIC_ERROR',
  status: 400,
  message,
  retryable,
});
export const notFound = (message: string): RegisteredError => ({
  type: 'BUSINESS_LOGIC_ERROR',
  status: 404,
  message,
  retryable: false,
});
export const blockchainError = (message: string, retryable = false): RegisteredError => ({
  type: 'BLOCKCHAIN_ERROR',
  status: 400,
  message,
  retryable,
});
export const externalServiceError = (message: string): RegisteredError => ({
  type: 'EXTERNAL_SERVICE_ERROR',
  status: 500,
  message,
  retryable: true,
});
export const authenticationError = (message: string): RegisteredError => ({
  type: 'AUTHENTICATION_ERROR',
  status: 401,
  message,
  retryable: false,
});
export const authorizationError = (message: string): RegisteredError => ({
  type: 'AUTHORIZATION_ERROR',
  status: 403,
  message,
  retryable: false,
});
