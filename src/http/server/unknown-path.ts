import { ServiceError } from '../../domain/errors.ts';
import type { Handler } from './request-locals.ts';

/** Throws VERSION_NOT_SUPPORTED or ROUTE_NOT_FOUND; runs after all routes. */
export const refuseUnknownPath: Handler = ({ path }) => {
  const isOtherVersion = /^\/api\/v\d+(\/|$)/.test(path) && !/^\/api\/v1(\/|$)/.test(path);
  throw new ServiceError(isOtherVersion ? 'VERSION_NOT_SUPPORTED' : 'ROUTE_NOT_FOUND');
};
