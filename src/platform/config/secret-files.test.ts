import { afterAll, describe, expect, test } from '@jest/globals';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readVariables, secretVariables } from './environment.ts';
import { apiVariables } from './api.ts';
import { workerVariables } from './worker.ts';
import { z } from 'zod';

const folder = await mkdtempDisposable(join(tmpdir(), 'secrets-'));
afterAll(() => folder.remove());
const schema = z.object(Object.fromEntries(secretVariables.map((variable) => [variable, z.string().optional()])));

async function secretFile(text: string): Promise<string> {
  const file = join(folder.path, 'secret');
  await writeFile(file, text);
  return file;
}

describe('secrets in files', () => {
  test.each(secretVariables)('%s can be read from a file, without the line break at its end', async (variable) => {
    const file = await secretFile(' a secret\nof two lines\n');
    expect(readVariables(schema, { [`${variable}_FILE`]: file })).toEqual({ [variable]: ' a secret\nof two lines' });
  });

  test('every variable of a process that is named like a secret can be', () => {
    const named = Object.keys({ ...apiVariables.shape, ...workerVariables.shape }).filter(
      (variable) =>
        /SECRET|KEY|MNEMONIC|PASSWORD|TOKEN|PROJECT_ID|DATABASE_URL/.test(variable) && !variable.endsWith('_PATH'),
    );
    expect(named.toSorted()).toEqual(secretVariables.toSorted());
  });

  test('two sources of one secret are refused without naming either value', async () => {
    const file = await secretFile('from the file');
    const read = () => readVariables(schema, { ENCRYPTION_KEY: 'from the variable', ENCRYPTION_KEY_FILE: file });
    expect(read).toThrow(/^ENCRYPTION_KEY and ENCRYPTION_KEY_FILE are both set: set only one of them$/);
  });

  test('a file that is missing stops the start and names its variable', () => {
    const read = () => readVariables(schema, { OPERATOR_MNEMONIC_FILE: join(folder.path, 'missing') });
    expect(read).toThrow(/^OPERATOR_MNEMONIC_FILE names a file that is not readable$/);
  });
});
