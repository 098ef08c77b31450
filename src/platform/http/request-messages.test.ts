import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { TokenAmount, ParsedWord } from './fields.ts';
import { problemsOf, requestMessages } from './parse-request.ts';

const parse = (text: string) => (text === 'yes' ? 'APPROVE' : undefined);
const Body = z.strictObject({
  name: z.string().min(2).max(3).optional(),
  count: z.int().min(1).max(9).optional(),
  size: z.number().positive().lt(5).optional(),
  list: z.array(z.string()).min(1).max(2).optional(),
  id: z.uuid().optional(),
  at: z.iso.datetime().optional(),
  way: z.enum(['out', 'back']).optional(),
  vote: ParsedWord(['yes'], parse).optional(),
  inside: z.strictObject({}).optional(),
  amount: TokenAmount.optional(),
});

test.each<[string, unknown, string, string]>([
  ['text of another type', { name: 1 }, 'INVALID_TYPE', 'Must be text.'],
  ['a text too short', { name: '' }, 'TOO_SMALL', 'Must have at least 2 characters.'],
  ['a text too long', { name: 'long' }, 'TOO_BIG', 'Must have at most 3 characters.'],
  ['a fraction', { count: 1.5 }, 'INVALID_TYPE', 'Must be a whole number.'],
  ['a number too small', { count: 0 }, 'TOO_SMALL', 'Must be at least 1.'],
  ['a number too big', { count: 10 }, 'TOO_BIG', 'Must be at most 9.'],
  ['a bound itself', { size: 0 }, 'TOO_SMALL', 'Must be above 0.'],
  ['an upper bound itself', { size: 5 }, 'TOO_BIG', 'Must be below 5.'],
  ['an empty list', { list: [] }, 'TOO_SMALL', 'Must have at least 1 entry.'],
  ['a list too long', { list: ['', '', ''] }, 'TOO_BIG', 'Must have at most 2 entries.'],
  ['no id', { id: 'x' }, 'INVALID_FORMAT', 'Must be a UUID.'],
  [
    'no time',
    { at: 'x' },
    'INVALID_FORMAT',
    'Must be a time in ISO 8601 with a time zone, such as 2026-01-31T12:00:00Z.',
  ],
  ['a word that is not in the list', { way: 'up' }, 'VALUE_NOT_ALLOWED', 'Must be one of out, back.'],
  ['a word of no meaning', { vote: 'maybe' }, 'VALUE_NOT_ALLOWED', 'Must be one of yes.'],
  [
    'an amount of another form',
    { amount: '1,5' },
    'INVALID_FORMAT',
    'Must be a number above 0, or decimal text with at most 9 decimals.',
  ],
  [
    'an unknown field',
    { colour: 1 },
    'UNKNOWN_FIELD',
    'Unknown field. Known fields: name, count, size, list, id, at, way, vote, inside, amount.',
  ],
  ['a field where none is', { inside: { x: 1 } }, 'UNKNOWN_FIELD', 'Unknown field. This request accepts no fields.'],
])('%s is refused with a plain message', (_case, body, code, message) => {
  const issues = Body.safeParse(body, { error: requestMessages }).error?.issues ?? [];
  expect(problemsOf(issues, body, 'body')).toMatchObject([{ code, message }]);
});
