import { ServiceError } from '../errors/errors.ts';
import type { Handler } from './request-locals.ts';

/** Throws UNSUPPORTED_MEDIA_TYPE for a body that is not JSON. */
export const requireJson: Handler = (request, _response, next) => {
  // `is` returns false for a body of another type, and null when there is no body.
  if (request.is('application/json') === false && request.get('Content-Length') !== '0') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE');
  }
  next();
};
