import express from 'express';
import { ServiceError } from '../errors/errors.ts';

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
