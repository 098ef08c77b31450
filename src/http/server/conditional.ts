import { createHash } from 'node:crypto';
import { ServiceError } from '../../domain/errors.ts';

/** The entity tag of a resource: equal for equal bodies, whenever they are read. */
export function entityTagOf(body: unknown): string {
  const { metadata, ...rest } = Object(body) as { metadata?: object };
  const text = JSON.stringify([rest, { ...metadata, timestamp: null }], (name, value: unknown) =>
    TIMES_OF_READING.has(name) ? undefined : value,
  );
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
}

/** Fields that say when a response was made, not what the resource is. */
const TIMES_OF_READING: ReadonlySet<string> = new Set(['serverTime', 'overdueSeconds']);

/** Whether a list of entity tags, or `*`, names this one. A proxy that compresses a response makes its tag a weak one. */
export function namesTag(header: string, tag: string): boolean {
  return header.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === tag);
}

/** The condition under which a request may change a resource (`If-Match`). */
export interface Precondition {
  /**
   * Throws PRECONDITION_FAILED unless the resource is as the caller has read it; `read` returns the body that the caller would read
   * now. Call it behind the locks of the change, so that the resource stays as it is.
   */
  requireUnchanged(read: () => Promise<unknown>): Promise<void>;
}

/** The precondition of a request; without `If-Match` it always holds. */
export function preconditionOf(ifMatch: string | undefined): Precondition {
  return {
    async requireUnchanged(read) {
      if (ifMatch !== undefined && !namesTag(ifMatch, entityTagOf(await read())))
        throw new ServiceError('PRECONDITION_FAILED', { header: 'If-Match' });
    },
  };
}
