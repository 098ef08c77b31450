import type { Clock } from '../units/clock.ts';
import { type Instant, isoText } from '../units/instant.ts';
import type { Logger } from '../observability/logger.ts';
import { type AuditEntry, auditInsert } from '../../access/queries/audit-log.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';

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

/** Counts accesses in the process and writes their numbers to the audit log each minute: docs/decisions/2026-11-23-audited-accesses.md. */
export function createAccessAudit({ unitOfWork, clock, logger }: AccessAuditContext): AccessAudit {
  const counts = createCounts();

  async function write(): Promise<void> {
    const counted = counts.take();
    if (counted.length === 0) return;
    try {
      await unitOfWork((context) => auditInsert(context, counted.map(entryOf)).execute());
    } catch (error) {
      for (const each of counted) counts.add(each);
      logger.warn({ error, accesses: counted.length }, 'refusals and reads were not written to the audit log yet');
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
