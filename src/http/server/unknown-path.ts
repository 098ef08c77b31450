import { ServiceError } from '../../domain/errors.ts';
import type { Handler } from './request-locals.ts';

/** Throws ROUTE_NOT_FOUND; runs after all routes. */
export const refuseUnknownPath: Handler = () => {
  throw new ServiceError('ROUTE_NOT_FOUND');
};
