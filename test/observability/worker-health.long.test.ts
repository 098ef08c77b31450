import { expect, test } from '@jest/globals';
import { readBuildId } from '../../src/platform/temporal/deployment.ts';
import { apiClient } from '../stack/api-client.ts';
import { operator } from '../stack/operator.ts';
import { ownTemporal } from '../stack/own-servers.ts';
import { type TestStack, testStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

type Health = { readonly error: { readonly details: { readonly checks: object } } };
const apiHealth = (stack: TestStack) => stack.root.get<Health>('/health/ready', { key: null });

async function workerHealth(stack: TestStack): Promise<number> {
  return (await apiClient(() => new URL(stack.metricsUrl('worker')).origin, null).get('/health/ready')).status;
}

test('the api is not ready while no worker lives, and ready again with the next one', async () => {
  await using stack = await testStack();
  const ready = async () => (await apiHealth(stack)).status === 200;
  await until(ready, { what: 'the api to be ready' });
  const isSeen = async () => (await stack.sql.query('select from operator_funds')).rowCount === 1;
  await until(isSeen, { what: 'the worker to see the balance' });

  await stack.kill('worker');
  await stack.sql.run`update worker_presence set seen_at = seen_at - interval '15 s'`;
  const refusal = await until(
    async () => {
      const response = await apiHealth(stack);
      return response.status !== 200 && response;
    },
    { what: 'the api to miss the worker' },
  );
  expect(refusal).toMatchObject({
    status: 503,
    body: { error: { details: { checks: { database: 'ok', platform: 'ok', worker: 'failed', serialization: 'ok' } } } },
  });

  // What an ADMIN watches matters most now, and what cannot be read of it hides nothing else.
  const ofAdmin = async () =>
    (await stack.root.get<{ error: { details: object } }>('/health/ready')).body.error.details;
  const { checks } = refusal.body.error.details;
  const details = await ofAdmin();
  expect(details).toEqual({
    checks,
    operator: expect.objectContaining({ lovelace: expect.any(String) }),
    anchors: expect.any(Object),
  });
  expect(refusal.body.error.details).toEqual({ checks });
  await stack.sql.run`alter table operator_funds rename to unreadable_funds`;
  const { anchors } = details as { anchors: object };
  expect(await ofAdmin()).toEqual({ checks, anchors, unreadable: ['operator'] });
  await stack.sql.run`alter table unreadable_funds rename to operator_funds`;

  await stack.restart('worker');
  await until(ready, { what: 'the api to see the next worker' });
});

test('a worker that cannot reach Temporal is not healthy, although its process lives and the api stays ready', async () => {
  await using temporal = await ownTemporal();
  await using stack = await testStack({ servers: { temporal } });
  await until(async () => (await workerHealth(stack)) === 200, { what: 'the worker to be healthy' });

  await temporal.stop();
  await until(async () => (await workerHealth(stack)) === 503, { what: 'the worker to miss Temporal' });
  expect((await apiHealth(stack)).status).toBe(200);

  await temporal.start();
  await until(async () => (await workerHealth(stack)) === 200, { what: 'the worker to be healthy again' });
});

test('the api is not ready while no worker of the current version lives, until the operator releases this one', async () => {
  await using stack = await testStack({ environment: { TEMPORAL_DEPLOYMENT_NAME: 'vaults' } });
  await until(async () => (await workerHealth(stack)) === 200, { what: 'the worker to ask for tasks' });
  expect(await apiHealth(stack)).toMatchObject({ status: 503 });

  const buildId = await readBuildId();
  for (const _ of ['the first time', 'again'])
    expect(await operator(stack, 'release')).toBe(
      `Workers of build ${buildId} now get all tasks of deployment vaults.\n`,
    );
  await until(async () => (await apiHealth(stack)).status === 200, { what: 'the api to be ready' });
});
