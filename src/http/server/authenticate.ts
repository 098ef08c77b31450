import { createAuthentication } from '../../auth/authentication.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/units/clock.ts';
import type { Db } from '../../store/database.ts';
import type { Handler } from './request-locals.ts';

/** Records whose key and session the request carries; refuses nothing. */
export function authenticate(db: Db, clock: Clock): Handler {
  const authenticationOf = createAuthentication(db, clock);
  return async (request, response, next) => {
    response.locals.authentication = await authenticationOf({
      apiKey: request.get('X-API-Key'),
      authorization: request.get('Authorization'),
    });
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
  if (authentication.isSessionRefused) throw new ServiceError('INVALID_SESSION', { header: 'Authorization' });
  next();
};
