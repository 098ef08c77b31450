import { writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { runWorkflow } from '../stack/run-workflow.ts';
import { lives } from './lives.ts';
import { folder, recordedNames } from './recorded.ts';

/** Only `npm run record:histories` runs this: it records the lives that have no history yet, those that continue as new or the others. */
test('every life has a recorded history', async () => {
  const isContinuing = process.env['RECORD_HISTORIES'] === 'continuing';
  const asked = Object.entries(lives).filter(([, life]) => (life().continues ?? false) === isContinuing);
  const known = await recordedNames();
  for (const [name, life] of asked) if (!known.includes(name)) await record(name, life());
  expect(await recordedNames()).toEqual(expect.arrayContaining(asked.map(([name]) => name)));
}, 900_000);

/** Records the first run of a life, and the second one if there is one. */
async function record(name: string, { drive, ...workflow }: ReturnType<(typeof lives)[string]>): Promise<void> {
  await using running = await runWorkflow(workflow);
  const firstRun = await running.runId();
  await drive(running);
  const historyOf = (runId: string) => running.client.workflow.getHandle(workflow.workflowId, runId).fetchHistory();
  const history = await historyOf(firstRun);
  await write(name, history);
  const nextRun = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  if (nextRun) await write(`${name}-next-run`, await historyOf(nextRun));
}

async function write(name: string, history: Parameters<typeof historyToJSON>[0]): Promise<void> {
  // Failures of activities name the files of this checkout.
  const text = historyToJSON(history).replaceAll(`${process.cwd()}/`, '');
  await writeFile(`${folder}${name}.json`, `${JSON.stringify(JSON.parse(text))}\n`, { flag: 'wx' });
  process.stdout.write(`recorded ${name}\n`);
}
