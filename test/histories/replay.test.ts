import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { sharedStack } from '../stack/shared-stack.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

async function* recorded() {
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.json'))) {
    yield { workflowId: file, history: JSON.parse(await readFile(folder + file, 'utf8')) as unknown };
  }
}

test('every recorded history replays, so that running workflows continue after a code change', async () => {
  const workflowBundle = { codePath: sharedStack().workflowBundle };
  const failures: unknown[] = [];
  const replayed: string[] = [];
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, recorded())) {
    replayed.push(workflowId);
    if (error) failures.push(`${workflowId}: ${error.message}`);
  }

  expect(failures).toEqual([]);
  expect(replayed).toEqual(
    expect.arrayContaining([
      'vault-running.json',
      'vault-reserve_not_reached.json',
      'transaction-final.json',
      'proposal-executed.json',
      'proposal-draft_expired.json',
      'rotation-finished.json',
      'rotation-cancelled.json',
      'anchorLane-running.json',
      'unsolicitedLook.json',
      'ledgerFollower-running.json',
      'sweep.json',
      'valuationRefresh.json',
      'reconciliation.json',
    ]),
  );
});
