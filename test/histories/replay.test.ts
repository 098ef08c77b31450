import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { workflowChanges } from '../../src/temporal/workflow-changes.ts';
import * as workflows from '../../workflows/index.ts';
import { sharedStack } from '../stack/shared-stack.ts';
import { changesOf, endOf, folder, isNextRun, readHistory, recordedNames, workflowTypeOf } from './recorded.ts';

/** All others continue as new: in the middle of what they do, when their history is long. */
const singleRuns = ['lostWorkflows', 'sweep', 'valuationRefresh'];

/** The SHA-256 of every history that was ever recorded, by release and outcome. */
async function readHashes() {
  return JSON.parse(await readFile(`${folder}hashes.json`, 'utf8')) as Readonly<Record<string, string>>;
}

async function* recorded() {
  for (const name of await recordedNames()) yield { workflowId: name, history: await readHistory(name) };
}

/** What any commit has written into `hashes.json`, or removed from it; nothing where the sources are without their Git history. */
async function committedHashes(): Promise<[string, string][]> {
  const log = ['log', '--format=', '--patch', '--', 'hashes.json'];
  const { stdout } = await promisify(execFile)('git', log, { cwd: folder }).catch(() => ({ stdout: '' }));
  return [...stdout.matchAll(/^[+-]\s*"(.+)": "(\w+)"/gm)].map(([, name = '', hash = '']) => [name, hash]);
}

test('no recorded history of any release was changed or removed', async () => {
  const hashes: Record<string, string> = {};
  for (const name of await recordedNames())
    hashes[name] = createHash('sha256')
      .update(await readFile(folder + name))
      .digest('hex');
  expect(hashes).toEqual(await readHashes());
  expect(hashes).toMatchObject(Object.fromEntries(await committedHashes()));
});

test('each change, each workflow, its way on to a next run and the run that goes on are in recorded histories, so that no later edit of them goes unseen', async () => {
  const [changes, types] = [new Set<string>(), new Set<string>()];
  const [continued, next] = [new Set<string>(), new Set<string>()];
  for await (const { history } of recorded()) {
    for (const change of changesOf(history)) changes.add(change);
    types.add(workflowTypeOf(history));
    if (endOf(history) === 'continued') continued.add(workflowTypeOf(history));
    if (isNextRun(history)) next.add(workflowTypeOf(history));
  }
  expect(workflowChanges.filter((change) => !changes.has(change))).toEqual([]);
  expect(Object.keys(workflows).filter((type) => !types.has(type))).toEqual([]);
  const several = Object.keys(workflows).filter((type) => !singleRuns.includes(type));
  expect(several.filter((type) => !continued.has(type))).toEqual([]);
  expect(several.filter((type) => !next.has(type))).toEqual([]);
});

test('the histories of all releases replay, so that running workflows continue after a code change', async () => {
  const workflowBundle = { codePath: sharedStack().workflowBundle };
  const failures: unknown[] = [];
  const replayed: string[] = [];
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, recorded())) {
    replayed.push(workflowId);
    if (error) failures.push(`${workflowId}: ${error.message}`);
  }

  expect(failures).toEqual([]);
  expect(replayed.toSorted()).toEqual(Object.keys(await readHashes()).toSorted());
});
