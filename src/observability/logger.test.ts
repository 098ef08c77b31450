import { expect, test } from '@jest/globals';
import { createLogger, plainLog } from './logger.ts';

function logged(entry: object): Record<string, unknown> {
  const lines: string[] = [];
  createLogger({ service: 'test' }, { write: (line) => void lines.push(line) }).info(entry, 'done');
  return JSON.parse(lines.join('')) as Record<string, unknown>;
}

test('secret fields are not logged, at the top and two levels below, also in lists', () => {
  const headers = { 'x-api-key': 'a', accept: 'b' };
  const entry = { token: 'c', request: { headers, items: [{ key: 'd', id: 1 }] }, list: [headers], code: 'e' };

  expect(logged(entry)).toMatchObject({
    token: '[secret]',
    request: { headers: { 'x-api-key': '[secret]', accept: 'b' }, items: [{ key: 'd', id: 1 }] },
    list: [{ 'x-api-key': '[secret]' }],
    code: 'e',
    message: 'done',
  });
  expect(entry.token).toBe('c');
  expect(headers['x-api-key']).toBe('a');
});

test('an error is logged with its code and causes, and no other field', () => {
  const error = Object.assign(new Error('no', { cause: new TypeError('why') }), {
    code: '23505',
    detail: 'row values',
  });

  const { error: shown } = logged({ error });

  expect(shown).toMatchObject({ type: 'Error', message: 'no', code: '23505', cause: { type: 'TypeError' } });
  expect(shown).not.toHaveProperty('detail');
});

test('an error under any name, or in a list, is logged without its other fields', () => {
  const failure = Object.assign(new Error('no'), { config: { headers: { authorization: 'a' } }, detail: 'row values' });

  const { reason, all } = logged({ reason: failure, all: [failure] }) as { reason: unknown; all: unknown[] };

  for (const shown of [reason, all[0]]) {
    expect(shown).toMatchObject({ type: 'Error', message: 'no' });
    expect(shown).not.toHaveProperty('config');
    expect(shown).not.toHaveProperty('detail');
  }
});

test('a plain entry has the fields that any entry has, and is not written below its level', () => {
  const lines: string[] = [];
  const output = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ service: 'test' }, output);
  logger.info({ type: 'REQUEST', apiKeyId: undefined, status: 200 }, 'a "GET"');
  plainLog(logger)({ type: 'REQUEST', apiKeyId: undefined, status: 200 }, 'a "GET"');
  plainLog(createLogger({ service: 'test', level: 'warn' }, output))({ type: 'REQUEST' }, 'too low');

  const entries = lines.map((line) => ({ ...(JSON.parse(line) as object), timestamp: 'now' }));
  expect(lines.join('').match(/\n/g)).toHaveLength(2);
  expect(entries[1]).toEqual(entries[0]);
});
