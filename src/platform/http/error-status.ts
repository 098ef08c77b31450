import { type ErrorCode, errorRegistry } from '../error-registry.ts';
import type { Route } from './route.ts';

/** The HTTP status of an error. Operations of the spec return 500 instead of 503, which the spec does not have (design D33). */
export function statusOf(code: ErrorCode, isSpecified: boolean): number {
  const { status } = errorRegistry[code];
  return isSpecified && status === 503 ? 500 : status;
}

/** Tells requests for operations of the spec, also those that are refused before their operation is found. */
export function specifiedRequests(
  routes: readonly Route<never>[],
): (request: { readonly method: string; readonly path: string }) => boolean {
  const patterns = routes
    .filter(({ specified }) => specified)
    .map(({ method, path }) => new RegExp(`^${method} /api/v1${path.replaceAll(/:\w+/g, '[^/]+')}/?$`, 'i'));
  return ({ method, path }) => {
    const asked = `${method === 'HEAD' ? 'GET' : method} ${path}`;
    return patterns.some((pattern) => pattern.test(asked));
  };
}
