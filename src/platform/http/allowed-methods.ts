import { ServiceError } from '../errors.ts';
import type { Handler } from './request-locals.ts';
import type { Route } from './route.ts';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The method as metrics name it: callers can make up any number of others. */
export function measuredMethod(method: string): string {
  return METHODS.has(method) ? method : 'OTHER';
}

/** Throws METHOD_NOT_ALLOWED for a method that no operation has, as TRACE. */
export const refuseUnknownMethod: Handler = ({ method }, response, next) => {
  if (METHODS.has(method)) next();
  else throw notAllowed(response, METHODS);
};

/** The paths of the routes, with a handler that notes their methods for a request that none of them has answered. */
export function methodNotes(routes: readonly Route<never>[]): [path: string, note: Handler][] {
  return [...Map.groupBy(routes, ({ path }) => path)].map(([path, same]) => {
    const methods = same.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
    return [
      path,
      (_request, { locals }, next) => {
        locals.allowed = [...(locals.allowed ?? []), ...methods];
        next();
      },
    ];
  });
}

/** Throws METHOD_NOT_ALLOWED or ROUTE_NOT_FOUND; runs after all routes. */
export const refuseUnanswered: Handler = (_request, response) => {
  const { allowed } = response.locals;
  throw allowed ? notAllowed(response, new Set([...allowed, 'OPTIONS'])) : new ServiceError('ROUTE_NOT_FOUND');
};

function notAllowed(response: Parameters<Handler>[1], methods: ReadonlySet<string>): ServiceError {
  response.set('Allow', [...methods].join(', '));
  return new ServiceError('METHOD_NOT_ALLOWED', { allowed: [...methods] });
}
