import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { dataFolder, npmStart } from './npm-start.ts';

test('data of another Postgres is not touched, and the start says what to do, without a stack trace', async () => {
  await using data = await dataFolder();
  await mkdir(join(data.path, 'postgres'), { mode: 0o700 });
  await writeFile(join(data.path, 'postgres/PG_VERSION'), '15\n');
  const started = npmStart(data.path);
  expect(await started.exit).toBe(1);
  expect(started.output()).toMatch(
    /contains data of Postgres 15, but this is Postgres 18\. Move or delete the data folder/,
  );
  expect(started.output()).not.toMatch(/^ {4}at /m);
});
