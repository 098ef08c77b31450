import express, { type Response } from 'express';
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { ServiceError } from '../errors.ts';
import type { Handler } from './request-locals.ts';

/** More than any request needs; so many are parsed and checked in some milliseconds. */
const MAX_VALUES = 20_000;
const MAX_DEPTH = 100;

/**
 * Parses bodies up to a size. Throws BODY_TOO_LARGE, before it parses, for more values or deeper nesting than any request needs: a
 * body of lists in lists would keep all other requests waiting. JSON between systems is UTF-8 (RFC 8259); other text is
 * UNSUPPORTED_MEDIA_TYPE.
 */
export function jsonBody(limit: number | string): express.Handler {
  return express.json({
    limit,
    verify: (_request, _response, body, encoding) => {
      if (encoding !== 'utf-8') throw new ServiceError('UNSUPPORTED_MEDIA_TYPE');
      if (exceeds(body)) throw new ServiceError('BODY_TOO_LARGE', { maxValues: MAX_VALUES, maxDepth: MAX_DEPTH });
    },
  });
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const ofByte = (count: (character: string) => number) =>
  Int8Array.from({ length: 256 }, (_, byte) => count(String.fromCharCode(byte)));
/** What a byte outside of strings adds to the number of values, each of which follows a comma or a bracket, and to the depth. */
const VALUES = ofByte((character) => (',[{'.includes(character) ? 1 : 0));
const DEPTH = ofByte((character) => Number('[{'.includes(character)) - Number(']}'.includes(character)));

/** Whether JSON text has too many values or nests too deep. */
export function exceeds(text: Uint8Array): boolean {
  let [values, depth, isInString] = [1, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (byte === QUOTE) isInString = !isInString;
    else if (!isInString) {
      values += VALUES[byte] ?? 0;
      depth += DEPTH[byte] ?? 0;
    } else if (byte === BACKSLASH) at += 1;
    if (values > MAX_VALUES || depth > MAX_DEPTH) return true;
  }
  return false;
}

/** Throws UNSUPPORTED_MEDIA_TYPE for a body that is not JSON. */
export const requireJson: Handler = (request, _response, next) => {
  // `is` returns false for a body of another type, and null when there is no body.
  if (request.is('application/json') === false && request.get('Content-Length') !== '0') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE');
  }
  next();
};

/** A body that never changes, as it is and as gzip. */
interface Compressed {
  readonly plain: string | Buffer;
  readonly gzip: Buffer;
}

/** Compressed once: that takes 0.1 s for a megabyte. */
export function compressed(plain: string | Buffer): Compressed {
  return { plain, gzip: gzipSync(plain, { level: 9 }) };
}

/** The form of a body that the client accepts. Sets the headers that name it; the entity tag of a compressed form is a weak one. */
export function acceptedForm(
  response: Pick<Response, 'req' | 'vary' | 'getHeader' | 'setHeader'>,
  body: Compressed,
): string | Buffer {
  response.vary('Accept-Encoding');
  if (response.req.acceptsEncodings('gzip') === false) return body.plain;
  response.setHeader('Content-Encoding', 'gzip');
  response.setHeader('ETag', `W/${String(response.getHeader('ETag'))}`);
  return body.gzip;
}

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
