import { isApiKey } from '../../access/api-key-format.ts';
import type { Authenticator } from '../../access/authentication.ts';
import { ServiceError } from '../errors/errors.ts';
import type { Clock } from '../units/clock.ts';
import { createFailedCredentials } from './failed-credentials.ts';
import { requireNotRefused } from './refused-callers.ts';
import type { Handler } from './request-locals.ts';

/**
 * Records whose key and session the request carries. Throws RATE_LIMIT_EXCEEDED, without a query, for credentials that were not
 * seen before from an IP address that sent too many bad ones; a few sessions of a key that was seen are looked up all the same.
 */
export function authenticate(authenticator: Authenticator, clock: Clock): Handler {
  const failed = createFailedCredentials(clock);
  return async (request, response, next) => {
    const [apiKey, authorization] = [request.get('X-API-Key'), request.get('Authorization')];
    const isChecked = apiKey !== undefined && isApiKey(apiKey);
    if (isChecked) requireNotRefused(failed.refusedUntil(request), clock);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const currency = isRead ? 'kept for seconds' : 'as stored now';
    const authentication = await authenticator.authenticate({ apiKey, authorization }, currency);
    const found = authentication.kind === 'valid' ? authentication : null;
    if (isChecked) failed.record(request, { caller: found?.caller ?? null, session: found?.sessionRefusal === null });
    response.locals.authentication = authentication;
    response.locals.recordSession = (token) => {
      failed.recordSession(request, token);
    };
    next();
  };
}

/** Throws API_KEY_REQUIRED, INVALID_API_KEY or INVALID_SESSION. */
export const requireKey: Handler = (_request, response, next) => {
  const { authentication } = response.locals;
  if (authentication?.kind !== 'valid') {
    const code = authentication?.kind === 'invalid' ? 'INVALID_API_KEY' : 'API_KEY_REQUIRED';
    throw new ServiceError(code, { header: 'X-API-Key' });
  }
  if (authentication.sessionRefusal) throw new ServiceError('INVALID_SESSION', { header: 'Authorization' });
  next();
};
