import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { sharedStack } from '../stack/shared-stack.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** The SHA-256 of every history that was ever recorded, by release and outcome. */
async function readHashes() {
  return JSON.parse(await readFile(`${folder}hashes.json`, 'utf8')) as Readonly<Record<string, string>>;
}

async function recordedNames(): Promise<string[]> {
  const files = await readdir(folder, { recursive: true });
  return files.filter((name) => name.includes('/') && name.endsWith('.json')).toSorted();
}

async function* recorded() {
  for (const name of await recordedNames()) {
    yield { workflowId: name, history: JSON.parse(await readFile(folder + name, 'utf8')) as unknown };
  }
}

test('no recorded history of any release was changed or removed', async () => {
  const hashes: Record<string, string> = {};
  for (const name of await recordedNames())
    hashes[name] = createHash('sha256')
      .update(await readFile(folder + name))
      .digest('hex');
  expect(hashes).toEqual(await readHashes());
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
