import { expect, test } from '@jest/globals';
import { WorkflowFailedError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { runWorkflow } from '../stack/run-workflow.ts';
import { until } from '../stack/until.ts';
import { type Call, observed } from './observed.ts';
import { proposalWaits } from './proposal-waits.ts';
import { rotationWaits } from './rotation-waits.ts';
import { transactionWaits } from './transaction-waits.ts';
import { CLOCK_OFFSET_MS, type Wait } from './waits.ts';

const MINUTE = 60_000;
type SignalledWait = Wait & { readonly goneOn: { readonly details: string } };
const waits = Object.entries<SignalledWait>({ ...proposalWaits, ...transactionWaits, ...rotationWaits });
const signalled = waits.filter(([, { isTrying, endsAfterMs }]) => !isTrying && endsAfterMs === undefined);

async function begin({ type, workflowId, input, activities, waiting }: Wait) {
  let isOver = false;
  const calls: Call[] = [];
  const workflow = await runWorkflow({
    type,
    workflowId,
    input,
    activities: observed(
      activities(() => isOver),
      (call) => calls.push(call),
    ),
  });
  await workflow.shows(waiting);
  return {
    ...workflow,
    calls,
    /** What it waits for happens, and nobody tells it. */
    end() {
      isOver = true;
    },
  };
}

test.each(signalled)('%s continues within little more than an hour when the signal is lost', async (_, wait) => {
  await using workflow = await begin(wait);
  workflow.end();
  await workflow.moveTo(CLOCK_OFFSET_MS + 65 * MINUTE);
  expect(await workflow.shows(wait.goneOn.details)).toBe(true);
});

test.each(waits)('%s ends as cancelled when an operator cancels it, and does nothing more', async (_, wait) => {
  await using workflow = await begin(wait);
  if (!wait.isTrying) await until(() => workflow.isIdle(), { what: 'the wait' });
  const { length } = workflow.calls;
  await workflow.handle.cancel();
  const failure = await workflow.handle.result().then(
    () => null,
    (error: unknown) => (error instanceof WorkflowFailedError ? error.cause : error),
  );
  expect(failure).toBeInstanceOf(CancelledFailure);
  expect(workflow.calls.slice(length)).toEqual([]);
});
