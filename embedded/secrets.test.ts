import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { loadOrCreateSecrets, newSecrets } from './secrets.ts';

test('a data folder of an older version keeps its secrets and gets those that it lacks, once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vault-data-'));
  const file = join(folder, 'secrets.json');
  const { frontendKey: _, apiDatabasePassword: __, workerDatabasePassword: ___, ...older } = newSecrets();
  await writeFile(file, JSON.stringify(older));

  const secrets = await loadOrCreateSecrets(folder);
  expect(secrets).toMatchObject(older);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(secrets);
  expect(await loadOrCreateSecrets(folder)).toEqual(secrets);
  expect(new Set(Object.values(secrets)).size).toBe(Object.keys(secrets).length);

  await writeFile(file, JSON.stringify({ ...older, operatorMnemonic: undefined }));
  await expect(loadOrCreateSecrets(folder)).rejects.toThrow('operatorMnemonic');
  await rm(folder, { recursive: true });
});
