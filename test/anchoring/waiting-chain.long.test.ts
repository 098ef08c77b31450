import { expect, test } from '@jest/globals';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import { witnessSetOf } from '../../src/cardano/keys/witnesses.ts';
import { anchorSubmitterWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { canaries } from '../secrets/canaries.ts';
import { readMetrics, valueOf } from '../stack/metrics.ts';
import { type StackOptions, testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { workflowDetails } from '../stack/workflow-details.ts';
import { person } from '../vault-lifecycle/participants.ts';
import { sendAll } from '../vault-lifecycle/direct-submission.ts';
import { openBatcher } from './anchor-batcher.ts';
import { runAnchorCheck, waitUntilAllConfirmed } from './anchor-proof.ts';

const { operator } = deriveKeys(canaries.operatorMnemonic, 0);
const operatorWallet = {
  address: operator.address,
  sign: (unsignedTx: string) => witnessSetOf(unsignedTx, [operator]),
};
const NOTHING_TO_SHOW =
  'Signing and sending the anchors of its chain in order, and rebuilding expired ones. Waiting for the next ones.';

/** A stack whose anchors are recorded by this process, in one anchor chain. */
async function anchoringStack(options: StackOptions = {}) {
  await using cleanup = new AsyncDisposableStack();
  const stack = cleanup.use(await testStack({ blockMs: 300, ...options }));
  const anchors = cleanup.use(openBatcher({ ...stack, ledgerUrl: stack.ledger.url, minIntervalMs: 0 }));
  const facts = [(await anchors.note('first')).factId];
  await waitUntilAllConfirmed(stack);
  const rows = await stack.sql.run<{ id: string }>`select id from anchor_chains`;
  const anchorChainId = anchorSubmitterWorkflowId(rows[0]?.id ?? '');
  const open = cleanup.move();
  return {
    stack,
    facts,
    note: async (text: string) => facts.push((await anchors.note(text)).factId),
    /** Waits until the Temporal UI shows this of the anchor chain, after what it always shows. */
    showing: (note: string) =>
      until(async () => (await workflowDetails(stack, anchorChainId)) === `${NOTHING_TO_SHOW}\n\n${note}`, {
        what: `the anchor chain to show "${note}"`,
        deadlineMs: 60_000,
      }),
    async confirmed() {
      await waitUntilAllConfirmed(stack);
      await until(async () => (await workflowDetails(stack, anchorChainId)) === NOTHING_TO_SHOW, {
        what: 'the anchor chain to show nothing any more',
      });
      for (const factId of facts) expect(await runAnchorCheck(stack, factId)).toMatch(/^on the ledger/);
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** What an operator reads in the metrics and in the details of the readiness of the api. */
async function watched(stack: TestStack) {
  type Body = { details?: { operator: { lovelace: string } | null; anchors: { unlanded: { count: number } } } };
  const [metrics, { body }] = await Promise.all([
    readMetrics(stack.metricsUrl('api')),
    stack.root.get<Body>('/health/ready'),
  ]);
  return {
    unlanded: [valueOf(metrics, 'anchors_unlanded'), body.details?.anchors.unlanded.count],
    operator: [valueOf(metrics, 'operator_balance_ada'), body.details?.operator?.lovelace],
  };
}

test('an anchor chain of anchors says that it waits for the ledger, then for ADA of the operator, and all are confirmed once there is some', async () => {
  await using anchoring = await anchoringStack();
  const { stack } = anchoring;
  await stack.ledger.faults({ all: 'down' });
  for (const text of ['one', 'two']) await anchoring.note(text);
  await anchoring.showing('Waits for the ledger, which cannot be reached or gives no clear response.');
  await stack.ledger.faults({});
  await anchoring.confirmed();

  await until(() => sendAll(stack, operatorWallet, person(460).address), { what: 'the operator to have nothing' });
  for (const text of ['three', 'four']) await anchoring.note(text);
  await anchoring.showing('Waits for ADA: the address of the operator has too little.');
  const isSeen = async () => (await watched(stack)).operator[0] === 0;
  await until(isSeen, { what: 'a worker to see that the operator has nothing', deadlineMs: 60_000 });
  expect(await watched(stack)).toEqual({ unlanded: [2, 2], operator: [0, '0'] });

  await stack.ledger.faucet({ address: operator.address, lovelace: '500000000' });
  await anchoring.confirmed();
  expect((await watched(stack)).unlanded).toEqual([0, 0]);
});

test('an anchor chain of anchors says that the operator pays no more today, and continues with a worker that counts again', async () => {
  await using anchoring = await anchoringStack({ environment: { OPERATOR_DAILY_ADA: '1' } });
  for (let n = 0; n < 6; n += 1) await anchoring.note(`note ${n}`);
  await anchoring.showing(
    'Waits until midnight (UTC): the operator pays for no more anchors today (OPERATOR_DAILY_ADA).',
  );
  expect((await watched(anchoring.stack)).unlanded).not.toEqual([0, 0]);
  await anchoring.stack.restart('worker');
  await anchoring.confirmed();
});
