import type { KeyRefusal } from '../../access/api-keys.ts';
import { type AuditEntry, auditInsert } from '../../access/queries/audit-log.ts';
import { auditActorOf, type Caller } from '../../access/rules.ts';
import type { SessionRefusal } from '../../access/sessions.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { type ErrorCode, errorRegistry } from '../error-registry.ts';
import { ServiceError } from '../errors.ts';
import type { ErrorHandler, RequestLocals } from './request-locals.ts';
import type { Logger } from '../observability/logger.ts';
import { type Clock, type Instant, isoText } from '../units/time.ts';

/** An attempt or a read that changes nothing, but that whoever investigates a theft has to find. Its metadata are few and short. */
export interface Access extends AuditEntry {
  readonly action:
    'LOGIN_REFUSED' | 'API_KEY_REFUSED' | 'SESSION_REFUSED' | 'PERMISSION_REFUSED' | 'PERSONAL_DATA_READ';
}

export interface AccessAudit {
  /** Counts an access; it is written within a minute, together with equal ones. */
  readonly note: (access: Access) => void;
  /** Writes what was counted, for the last time. */
  readonly close: () => Promise<void>;
}

/** Counts nothing. */
export const noAccessAudit: AccessAudit = { note: () => undefined, close: () => Promise.resolve() };

interface AccessAuditContext {
  /** On connections that requests do not wait for. */
  readonly unitOfWork: UnitOfWork;
  /** Wall time. */
  readonly clock: Clock;
  readonly logger: Logger;
}

const WRITTEN_EVERY_MS = 60_000;
/** Different accesses that a process writes each time; a flood of others is one entry more, with their number. */
const MAX_DIFFERENT: Readonly<Record<Access['action'], number>> = {
  LOGIN_REFUSED: 50,
  API_KEY_REFUSED: 50,
  SESSION_REFUSED: 50,
  PERMISSION_REFUSED: 50,
  // More than an ADMIN may read: each vault is named.
  PERSONAL_DATA_READ: 1000,
};

interface Counted {
  readonly access: Access;
  readonly count: number;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
}

/** Counts accesses in the process and writes their numbers to the audit log each minute: docs/adr/0010-evidence.md. */
export function createAccessAudit({ unitOfWork, clock, logger }: AccessAuditContext): AccessAudit {
  const counts = createCounts();

  async function write(): Promise<void> {
    const counted = counts.take();
    if (counted.length === 0) return;
    try {
      await unitOfWork((context) => auditInsert(context, counted.map(entryOf)).execute());
    } catch (error) {
      for (const each of counted) counts.add(each);
      logger.warn(
        { error, accesses: counted.length },
        'refused requests and reads were not written to the audit log yet',
      );
    }
  }

  const timer = setInterval(() => void write(), WRITTEN_EVERY_MS).unref();
  return {
    note(access) {
      const now = clock.now();
      counts.add({ access, count: 1, firstAt: now, lastAt: now });
    },
    close() {
      clearInterval(timer);
      return write();
    },
  };
}

/** Numbers of equal accesses; of each action those beyond the bound together. */
function createCounts() {
  let counts = new Map<string, Counted>();
  const different = new Map<Access['action'], number>();

  /** Names what is counted under one number. */
  function placeOf(access: Access): { readonly name: string; readonly access: Access } {
    const name = JSON.stringify(access);
    const known = different.get(access.action) ?? 0;
    if (counts.has(name) || known < MAX_DIFFERENT[access.action]) return { name, access };
    return { name: access.action, access: others(access) };
  }

  return {
    add({ access, count, firstAt, lastAt }: Counted): void {
      const place = placeOf(access);
      const before = counts.get(place.name);
      if (!before) different.set(access.action, (different.get(access.action) ?? 0) + 1);
      counts.set(place.name, {
        access: before?.access ?? place.access,
        count: (before?.count ?? 0) + count,
        firstAt: before ? earlier(before.firstAt, firstAt) : firstAt,
        lastAt: before && before.lastAt > lastAt ? before.lastAt : lastAt,
      });
    },
    take(): Counted[] {
      const taken = [...counts.values()];
      counts = new Map();
      different.clear();
      return taken;
    },
  };
}

function earlier(one: Instant, other: Instant): Instant {
  return one < other ? one : other;
}

function others({ action, resource }: Access): Access {
  const unnamed = { id: 'others', type: resource.type };
  return { action, actor: { id: 'others', type: 'SYSTEM' }, resource: unnamed, metadata: {} };
}

function entryOf({ access, count, firstAt, lastAt }: Counted): AuditEntry {
  const times = { firstAt: isoText(firstAt), lastAt: isoText(lastAt) };
  return { ...access, metadata: { ...access.metadata, count, ...times } };
}

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
