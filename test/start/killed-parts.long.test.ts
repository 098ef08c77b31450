import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { StackAddresses } from '../../embedded/stack.ts';
import { until } from '../stack/until.ts';
import { bundledWorkflows, clientsOf, dataFolder, npmStart, type Started } from './npm-start.ts';
import { processesOf } from './processes.ts';

let folder: Awaited<ReturnType<typeof dataFolder>>;
let running: Started;
let addresses: StackAddresses;
/** Set after the first start, so that later starts reuse its workflow bundle. */
let environment: Record<string, string> = {};

beforeAll(async () => {
  folder = await dataFolder();
  running = npmStart(folder.path);
  addresses = await running.ready();
  environment = { WORKFLOW_BUNDLE: await bundledWorkflows(folder.path) };
});
afterAll(async () => {
  await running.stop();
  await folder[Symbol.asyncDispose]();
});

const ours = () => processesOf(folder.path, new URL(addresses.databaseUrl).host);
const killByForce = (mark: string) => {
  const victim = ours().find(({ command }) => command.includes(mark));
  if (!victim) throw new Error(`${mark} is not among ${JSON.stringify(ours())}`);
  process.kill(victim.pid, 'SIGKILL');
};
const nothingLeft = () =>
  until(() => ours().length === 0, { what: `the end of ${JSON.stringify(ours())}`, deadlineMs: 120_000 });
const waitUntilReady = () =>
  until(async () => (await clientsOf(addresses).root.get('/health/ready', { key: null })).status === 200, {
    what: 'the api to be ready',
  });

test.each([
  ['postgres', '/native/bin/postgres'],
  ['temporal', 'server start-dev'],
  ['ledger', 'embedded/ledger/main.ts'],
  ['worker', 'worker/main.ts'],
  ['api', 'embedded/api.ts'],
  ['guardian', 'embedded/guardian.ts'],
])('when the %s is killed, the other processes stop and the error names it', async (name, mark) => {
  killByForce(mark);

  expect(await running.exit).toBe(1);
  expect(running.output()).toContain(`${name} ended`);
  await nothingLeft();
  running = npmStart(folder.path, environment);
  addresses = await running.ready();
});

test('when npm or the supervisor is killed, no process is left and the next start works', async () => {
  for (const mark of ['npm start', 'embedded/start.ts']) {
    killByForce(mark);
    await running.exit;
    await nothingLeft();
    running = npmStart(folder.path, environment);
    addresses = await running.ready();
  }
  await waitUntilReady();
});
