import fc from 'fast-check';

const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
const headerUnit = fc
  .integer({ min: 0x20, max: 0xff })
  .filter((unit) => unit !== 0x7f)
  .map((unit) => String.fromCharCode(unit));

/** Names that every object of JavaScript knows. */
const prototypeNames = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'] as const;

/** A text in a value that stands for itself in the JSON text: numbers and depths that `JSON.stringify` does not write. */
const raw = (text: string) => `@raw:${text}@`;

/** Puts what `raw` stands for into a JSON text. */
export function withRawParts(json: string): string {
  return json
    .replaceAll(/"@raw:depth (\d+)@"/g, (_, depth: string) => '['.repeat(Number(depth)) + ']'.repeat(Number(depth)))
    .replaceAll(/"@raw:length (\d+)@"/g, (_, length: string) => `"${'x'.repeat(Number(length))}"`)
    .replaceAll(/"@raw:([^"@]*)@"/g, '$1');
}

/** Values that no schema expects everywhere: other types, huge numbers, odd texts, depth and length. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, '', 0, -1, 0.1, 1.5, 5e-324, 1e21, -1e308, 2 ** 53, [], {}, [[]], [null]),
  fc.constantFrom(
    ...['1e400', '-0', '123456789012345678901234567890', '1E-400', '0.1e-7', 'depth 90', 'depth 3000'].map(raw),
    ...['length 300', 'length 5000', 'length 90000', 'length 120000'].map(raw),
  ),
  fc.constantFrom('\0', '\ud800', 'a\udc00', '\ufeff', '\u202e', 'é', 'İ', '🏠', 'NaN', 'null', '0x10', '１２', ' '),
  fc.constantFrom("' or 1=1 --", '../../x', '%00', '${x}', '{"a":1}', '2026-02-30T00:00:00Z', '99999:99:99', '-1h'),
  fc.constantFrom(...prototypeNames),
  fc.string({ unit: anyUnit, maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Names for a field that nobody knows. */
export const hostileName: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...prototypeNames, '', 'a.b', 'a[b]', '\0', '\ud800', 'x'.repeat(1_000)),
  fc.string({ unit: anyUnit, maxLength: 10 }),
);

/** Text of a header: Latin-1 without control characters, as a client can send it. */
export const headerText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('', '*', '"x"', 'W/"x"', ',', ';;q=x', 'null', '../', '\xff', 'x'.repeat(256), 'x'.repeat(1_000)),
  fc.string({ unit: headerUnit, maxLength: 70 }),
);

/** Part of a path or of a query as it is sent: characters that HTTP allows there, broken encodings among them. */
export const hostilePart: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('%', '%zz', '%00', '%ff', '%ed%a0%80', '%2f', '%2e%2e', '.', '..', '*', '+', 'a[b]', 'a[]'),
  fc.constantFrom(...prototypeNames, '0', '-1', 'null', 'undefined', 'x'.repeat(300), 'x'.repeat(1_000)),
  fc.string({ unit: 'grapheme', maxLength: 20 }).map(encodeURIComponent),
);
