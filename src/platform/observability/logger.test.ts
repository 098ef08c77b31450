import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
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

test.each(['undefined', 'queuedOutput()'])(
  'without room for its log (%s), a process goes on, and can end',
  async (output) => {
    const module = new URL('logger.ts', import.meta.url).href;
    const script = `import { createLogger, queuedOutput } from ${JSON.stringify(module)};
    const logger = createLogger({ service: 'test' }, ${output});
    for (let entry = 0; entry < 5; entry += 1) {
      logger.info({ entry }, 'an entry');
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    process.stderr.write('went on');
    process.exit(0);`;
    const command =
      'exec "$0" --disable-warning=ExperimentalWarning --input-type=module-typescript --eval "$1" > /dev/full';
    const run = promisify(execFile)('sh', ['-c', command, process.execPath, script], { timeout: 15_000 });
    expect((await run).stderr).toBe('went on');
  },
);
