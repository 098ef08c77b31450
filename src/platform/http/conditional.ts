import { hash } from 'node:crypto';
import { ServiceError } from '../errors/errors.ts';
import type { Compressed } from './compressed.ts';

/** A body as it is sent. */
export interface SentBody {
  readonly text: string;
  readonly tag: string;
  /** Of a long text that never changes. */
  readonly compressed?: Compressed;
}

/** The text of a body and its entity tag: equal for equal resources, whenever they are read. */
export function sentBody(body: unknown): SentBody {
  const text = body === undefined ? '' : JSON.stringify(body);
  return { text, tag: `"${hash('sha256', timeless(text, body), 'base64url').slice(0, 27)}"` };
}

/** The text of a body without the times that say when it was made, not what the resource is. */
function timeless(text: string, body: unknown): string {
  const { metadata } = Object(body) as { metadata?: { timestamp?: unknown } };
  const stamp = `"metadata":{"timestamp":${JSON.stringify(metadata?.timestamp)}`;
  // The metadata of an envelope are its last field; those before belong to the resource.
  const at = typeof metadata?.timestamp === 'string' ? text.lastIndexOf(stamp) : -1;
  const rest = at < 0 ? text : text.slice(0, at) + text.slice(at + stamp.length);
  return rest.replace(TIMES_OF_READING, '');
}

/** Fields of JSON text; in a string their quotes would be escaped. */
const TIMES_OF_READING = /"(?:serverTime|overdueSeconds|ageSeconds)":(?:"[^"]*"|[\d.]+|null)/g;

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
      if (ifMatch !== undefined && !namesTag(ifMatch, sentBody(await read()).tag))
        throw new ServiceError('PRECONDITION_FAILED', { header: 'If-Match' });
    },
  };
}
