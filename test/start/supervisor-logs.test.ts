import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { startSupervisor } from '../../embedded/supervisor.ts';
import { until } from '../stack/until.ts';
import { dataFolder } from './npm-start.ts';

/** Starts a child in its own session, as Postgres does, that prints after its parent has ended. */
const parent = `
  require('node:child_process').spawn('sh', ['-c', 'sleep 0.5; echo the last output'], { detached: true, stdio: 'inherit' });
  console.log('{"ready":true}');
  setInterval(() => undefined, 1000);
`;

test('output printed after a program was killed is in its log', async () => {
  await using folder = await dataFolder();
  const supervisor = await startSupervisor(folder.path);
  if (!supervisor) throw new Error('the data folder is in use');
  try {
    const program = { name: 'killed', command: process.execPath, args: ['-e', parent], env: process.env };
    const child = supervisor.start(program);
    await child.ready;

    process.kill(child.pid, 'SIGKILL');

    expect(await supervisor.crashed).toEqual({ name: 'killed', how: 'SIGKILL', unexpected: true });
    await until(async () => (await readFile(supervisor.logFile('killed'), 'utf8')).includes('the last output'), {
      what: 'the last output',
    });
  } finally {
    await supervisor.stop();
  }
});
