import { blockchainError, businessError, externalServiceError, type RegisteredError } from './error-kinds.ts';

/** Errors of transactions, of external services and of the service itself. */
export const systemErrors = {
  UNSOLICITED_OUTPUT_LEAVING: businessError('The output is being returned or has been returned'),
  UNSOLICITED_OUTPUT_GONE: businessError('The output is no longer unspent on the ledger'),
  UNSOLICITED_OUTPUT_HELD: businessError('A pending transaction already spends the output', true),
  UNSOLICITED_OUTPUT_OF_OWNER: businessError('What lies at the deposit address of an owner returns to that owner only'),
  UNSOLICITED_OUTPUT_NEEDS_OTHERS: businessError('The platform cannot return this output without other signatures'),

  TRANSACTION_EXPIRED: blockchainError('The transaction has expired'),
  TRANSACTION_NOT_AWAITING_SIGNATURES: blockchainError('The transaction is not waiting for signatures'),
  TRANSACTION_NOT_WITHDRAWABLE: businessError(
    'Only an unsigned transaction of a wallet, or an unsigned return from custody, can be withdrawn',
  ),
  SECURITY_CONSTRAINTS_NOT_MET: blockchainError('Security constraints not met'),
  TRANSACTION_NOT_JUSTIFIED: blockchainError('The platform refuses to sign the transaction'),
  OPERATOR_BUDGET_SPENT: businessError(
    'The operator pays no more for transactions of this kind today; they go on at midnight (UTC)',
    true,
  ),

  TOO_MANY_FEATURE_FLAGS: businessError('The service has its maximum number of feature flags'),

  TOO_MANY_CONNECTIONS: {
    type: 'BUSINESS_LOGIC_ERROR',
    status: 429,
    message: 'The service has too many open connections of this caller, or of all',
    retryable: true,
  },
  TOO_MANY_SUBSCRIPTIONS: businessError('A connection has its maximum number of subscriptions'),
  CONSUMER_TOO_SLOW: businessError('The connection did not take its events in time', true),
  SERVICE_STOPPING: businessError('The process that served this connection stops; another one goes on', true),

  LEDGER_UNAVAILABLE: externalServiceError('The ledger cannot be reached'),
  LEDGER_HISTORY_CHANGED: externalServiceError('The ledger has another history than the recorded one'),
  PRICE_UNAVAILABLE: externalServiceError('There is no current price for this asset'),

  SERVICE_NOT_READY: { type: 'SYSTEM_ERROR', status: 503, message: 'The service is not ready', retryable: true },
  SYSTEM_ERROR: { type: 'SYSTEM_ERROR', status: 500, message: 'An internal error occurred', retryable: true },
  FREE_ACTIONS_USED_UP: {
    type: 'BUSINESS_LOGIC_ERROR',
    status: 429,
    message: 'The wallet has done as many free actions of this kind as it may within a day',
    retryable: true,
  },
  RATE_LIMIT_EXCEEDED: { type: 'BUSINESS_LOGIC_ERROR', status: 429, message: 'Too many requests', retryable: true },
} as const satisfies Record<string, RegisteredError>;
