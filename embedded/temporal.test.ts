import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { claimPort } from './ports.ts';
import { startSupervisor } from './supervisor.ts';
import { findTemporal } from './temporal-binary.ts';
import { startTemporal } from './temporal.ts';

test('Temporal is started again if another program takes one of its ports during the start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vault-temporal-'));
  const supervisor = await startSupervisor(folder);
  if (!supervisor) throw new Error('the folder is taken');
  let crashed = false;
  void supervisor.crashed.then(() => (crashed = true));
  try {
    const real = await findTemporal(() => undefined);
    const binary = join(folder, 'temporal');
    const panicOnce = `[ -e "$0.started" ] || { touch "$0.started"; echo panic; exit 2; }`;
    await writeFile(binary, `#!/bin/sh\n${panicOnce}\nexec '${real}' "$@"\n`);
    await chmod(binary, 0o755);
    const port = await claimPort('TEMPORAL_PORT', 0);
    const databaseFile = join(folder, 'temporal.db');

    await expect(startTemporal(supervisor, { binary, databaseFile, port, uiPort: undefined })).resolves.toBe(
      `127.0.0.1:${port}`,
    );
    expect(crashed).toBe(false);
  } finally {
    await supervisor.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

test('a Temporal that cannot start is abandoned with its last output in the error', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vault-temporal-'));
  const supervisor = await startSupervisor(folder);
  if (!supervisor) throw new Error('the folder is taken');
  try {
    const binary = join(folder, 'temporal');
    await writeFile(binary, '#!/bin/sh\necho no such flag\nexit 2\n');
    await chmod(binary, 0o755);
    const options = { binary, databaseFile: join(folder, 'temporal.db'), port: 1, uiPort: undefined };

    await expect(startTemporal(supervisor, options)).rejects.toThrow(/temporal ended \(exit code 2\)[^]*no such flag/u);
  } finally {
    await supervisor.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
