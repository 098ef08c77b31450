import type { ErrorCode } from '../errors/errors.ts';
import type { RouteLists } from '../http/app.ts';
import { acceptsIdempotencyKey, type Route } from '../http/route.ts';

/** The path prefix under which a route is reachable. */
export type Access = keyof RouteLists<never>;

/** All error codes of an operation: its own and those of the steps before it. */
export function errorsOf(route: Route<never>, access: Access): ErrorCode[] {
  const { permission, rateLimited, errors } = route;
  const codes: ErrorCode[] = [...errors, route.invalidCode ?? 'INVALID_REQUEST', 'SYSTEM_ERROR'];
  if (rateLimited === undefined) codes.push('SERVICE_NOT_READY');
  if (access !== 'open') codes.push('API_KEY_REQUIRED', 'INVALID_API_KEY', 'INVALID_SESSION');
  if (access !== 'open') codes.push('MALFORMED_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (access === 'api') codes.push('VERSION_ENDED');
  if (!('unrestricted' in permission)) codes.push('INSUFFICIENT_PERMISSIONS');
  if (rateLimited !== false) codes.push('RATE_LIMIT_EXCEEDED');
  if (route.conditional) codes.push('PRECONDITION_FAILED');
  if (acceptsIdempotencyKey(route)) codes.push('INVALID_REQUEST', 'IDEMPOTENCY_KEY_REUSED');
  return [...new Set(codes)];
}
