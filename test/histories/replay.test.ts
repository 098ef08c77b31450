import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { createActivities } from '../../worker/create-activities.ts';
import * as workflows from '../../workflows/index.ts';
import { sharedStack } from '../stack/shared-stack.ts';
import { lives } from './lives.ts';
import {
  activitiesOf,
  folder,
  type History,
  isContinued,
  isNextRun,
  readHistory,
  recordedNames,
  workflowTypeOf,
} from './recorded.ts';

/** All others continue as new: in the middle of what they do, when their history is long. */
const singleRuns = ['lostWorkflows', 'sweep', 'valuationRefresh'];

async function* recorded() {
  for (const name of await recordedNames()) yield { workflowId: name, history: await readHistory(name) };
}

test('every workflow, its way on to a next run, the next run and every activity are in recorded histories, so that no edit of them goes unseen', async () => {
  const histories = (await Array.fromAsync(recorded())).map(({ history }) => history);
  const types = (of: readonly History[]) => [...new Set(of.map(workflowTypeOf))].toSorted();
  const several = Object.keys(workflows).filter((type) => !singleRuns.includes(type));
  expect(types(histories)).toEqual(Object.keys(workflows).toSorted());
  expect(types(histories.filter(isContinued))).toEqual(several.toSorted());
  expect(types(histories.filter(isNextRun))).toEqual(several.toSorted());
  const activities = Object.keys(createActivities({} as Parameters<typeof createActivities>[0]));
  expect([...new Set(histories.flatMap(activitiesOf))].toSorted()).toEqual([...activities, 'followLedger'].toSorted());
  expect(await recordedNames()).toEqual(expect.arrayContaining(Object.keys(lives)));
});

test('no recorded history names a folder of the machine that recorded it', async () => {
  const texts = await Promise.all((await recordedNames()).map((name) => readFile(`${folder}${name}.json`, 'utf8')));
  expect(texts.filter((text) => /\/(home|root|tmp|Users|work)\//.test(text))).toEqual([]);
});

test('all recorded histories replay, so that running workflows continue after a code change', async () => {
  const workflowBundle = { codePath: sharedStack().workflowBundle };
  const failures: unknown[] = [];
  const replayed: string[] = [];
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, recorded())) {
    replayed.push(workflowId);
    if (error) failures.push(`${workflowId}: ${error.message}`);
  }

  expect(failures).toEqual([]);
  expect(replayed.toSorted()).toEqual((await recordedNames()).toSorted());
});
