import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { searchAttributes } from '../../src/platform/temporal/search-attributes.ts';

/** A stand-in for the command `temporal`: its server reports a new namespace and new search attributes only at the third request. */
const laggingServer = `#!/bin/sh
cd "$FOLDER"
case "$1 $2 $3" in
  'operator namespace describe') [ -e namespace ] ;;
  'operator namespace create') touch namespace ;;
  'operator search-attribute list')
    echo asked >>questions
    [ "$(wc -l <questions)" -ge 3 ] || { echo 'Namespace vaults is not found.' >&2; exit 1; }
    cat attributes 2>/dev/null || true ;;
  'operator search-attribute create') echo "$7 $9" >>attributes ;;
esac
`;

test('a server that serves the new namespace only later does not end the first start', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'temporal'), laggingServer);
  await chmod(join(folder.path, 'temporal'), 0o755);
  const run = () =>
    spawnSync('/bin/sh', ['docker/temporal-namespace.sh'], {
      env: { PATH: `${folder.path}:/usr/bin:/bin`, FOLDER: folder.path, TEMPORAL_NAMESPACE: 'vaults' },
      encoding: 'utf8',
    });

  expect(run()).toMatchObject({ status: 0 });
  const types = { KEYWORD: 'Keyword', DATETIME: 'Datetime' };
  const expected = Object.values(searchAttributes).map(({ name, type }) => `${name} ${types[type]}`);
  const registered = async () => (await readFile(join(folder.path, 'attributes'), 'utf8')).trim().split('\n');
  expect(await registered()).toEqual(expected);

  expect(run()).toMatchObject({ status: 0 });
  expect(await registered()).toEqual(expected);
});

test('a database password that Temporal cannot read is refused with its reason before anything is set up', () => {
  for (const password of ['two words', 'a"b', 'a\\b']) {
    const job = spawnSync('/bin/sh', ['docker/temporal-schema.sh'], {
      env: { PATH: '/usr/bin:/bin', SQL_PASSWORD: password },
      encoding: 'utf8',
    });
    expect([password, job.status, job.stderr]).toEqual([password, 1, expect.stringContaining('TEMPORAL_DB_PASSWORD')]);
  }
});

test("Temporal's programs get the password of their databases from a variable or from a file, under their own names alone", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'password');
  await writeFile(file, 'in a file\n');
  const shown = 'echo "$POSTGRES_PWD, $SQL_PASSWORD, ${TEMPORAL_DB_PASSWORD-none}"';
  const run = (environment: Record<string, string>) =>
    spawnSync('/bin/sh', ['docker/temporal-password.sh', '/bin/sh', '-c', shown], {
      env: { PATH: '/usr/bin:/bin', ...environment },
      encoding: 'utf8',
    });

  expect(run({ TEMPORAL_DB_PASSWORD: 'c', TEMPORAL_DB_PASSWORD_FILE: '' }).stdout).toBe('c, c, none\n');
  const inFile = run({ TEMPORAL_DB_PASSWORD: '', TEMPORAL_DB_PASSWORD_FILE: file });
  expect(inFile.stdout).toBe('in a file, in a file, none\n');
  for (const TEMPORAL_DB_PASSWORD_FILE of ['', '/dev/null', join(folder.path, 'missing')]) {
    const { status, stdout } = run({ TEMPORAL_DB_PASSWORD: '', TEMPORAL_DB_PASSWORD_FILE });
    expect([stdout, status !== 0]).toEqual(['', true]);
  }
});

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'temporal-jobs-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
