import type { KeyRefusal } from '../../access/check-api-key.ts';
import type { SessionRefusal } from '../../access/session.ts';
import { type ErrorCode, errorRegistry, ServiceError } from '../errors/errors.ts';
import { auditActorOf, type Caller } from '../../access/rules/caller.ts';
import type { Access, AccessAudit } from './access-audit.ts';
import type { ErrorHandler, RequestLocals } from './request-locals.ts';

/** Errors of a login whose signature or nonce proves nothing. */
const LOGIN_ERRORS: readonly string[] = [
  'INVALID_NONCE',
  'SIGNATURE_EXPIRED',
  'SIGNATURE_NOT_YET_VALID',
  'INVALID_LOGIN_SIGNATURE',
];

/** Notes who was refused what, for the audit log, and passes the error on. */
export function auditRefusals(audit: AccessAudit): ErrorHandler {
  return (error: unknown, request, response, next) => {
    if (error instanceof ServiceError) {
      const access = refusalOf(error, response.locals, request.body);
      if (access) audit.note(access);
    }
    next(error);
  };
}

function refusalOf(
  { code }: ServiceError,
  { authentication, operationId }: RequestLocals,
  body: unknown,
): Access | null {
  if (authentication?.kind === 'invalid') return code === 'INVALID_API_KEY' ? keyRefusal(authentication.refusal) : null;
  if (authentication?.kind !== 'valid') return null;
  const { caller, sessionRefusal } = authentication;
  if (code === 'INVALID_SESSION') return sessionRefusal && refusedSession(sessionRefusal, caller);
  const metadata = { code, apiKeyId: caller.apiKeyId };
  const actor = auditActorOf(caller);
  if (LOGIN_ERRORS.includes(code)) {
    const { address } = Object(body) as { readonly address?: unknown };
    return { action: 'LOGIN_REFUSED', actor, resource: { type: 'wallet', id: String(address) }, metadata };
  }
  return permissionRefusal(code, caller, operationId ?? 'unknown');
}

/** What a caller may not do; null for any other error. Missing signatures are the usual course of a transaction. */
export function permissionRefusal(code: ErrorCode, caller: Caller, operation: string): Access | null {
  if (errorRegistry[code].type !== 'AUTHORIZATION_ERROR' || code === 'INSUFFICIENT_SIGNATURES') return null;
  return {
    action: 'PERMISSION_REFUSED',
    actor: auditActorOf(caller),
    resource: { type: 'operation', id: operation },
    metadata: { code, apiKeyId: caller.apiKeyId },
  };
}

/** Who has the token of a session that has ended is its wallet, or a thief; of an unknown token only the key is known. */
function refusedSession({ reason, session }: SessionRefusal, { apiKeyId }: Caller): Access {
  const actor = session
    ? ({ id: session.wallet, type: 'WALLET' } as const)
    : ({ id: apiKeyId, type: 'API_KEY' } as const);
  const resource = { type: 'session', id: session?.id ?? 'unknown' };
  return { action: 'SESSION_REFUSED', actor, resource, metadata: { reason, apiKeyId } };
}

/** Who has the secret of a key that has ended is its holder, or a thief; who has not is unknown. */
function keyRefusal({ reason, keyId }: KeyRefusal): Access {
  const actor = { id: reason === 'ended' ? keyId : 'unknown', type: 'API_KEY' } as const;
  return { action: 'API_KEY_REFUSED', actor, resource: { type: 'apiKey', id: keyId }, metadata: { reason } };
}
