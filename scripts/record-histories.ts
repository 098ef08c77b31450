/**
 * `npm run histories`: records the histories of a running stack's workflows for the replay test, in a folder of the release. Those of
 * earlier releases stay as they are: workflows of them may run for years.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection, type WorkflowExecutionInfo } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

const folder = fileURLToPath(new URL('../test/histories/', import.meta.url));
const hashFile = join(folder, 'hashes.json');
const release = process.argv[2];
if (release === undefined || !/^[\w.-]+$/.test(release)) throw new Error('usage: npm run histories -- <release>');
// Throws when the release was recorded before: nothing is overwritten.
await mkdir(join(folder, release));

const stack = await readFile(join(process.env['DATA_DIR'] ?? '.data', 'stack.json'), 'utf8');
const { temporalAddress } = JSON.parse(stack) as { temporalAddress: string };
const connection = await Connection.connect({ address: temporalAddress });
const client = new Client({ connection });

const hashes = JSON.parse(await readFile(hashFile, 'utf8')) as Record<string, string>;
const kept = new Set<string>();
for await (const execution of client.workflow.list()) {
  const outcome = await outcomeOf(execution);
  if (kept.has(outcome) || execution.type.startsWith('temporal-')) continue;
  kept.add(outcome);
  const history = await client.workflow.getHandle(execution.workflowId, execution.runId).fetchHistory();
  const text = `${historyToJSON(history)}\n`;
  await writeFile(join(folder, release, `${outcome}.json`), text);
  hashes[`${release}/${outcome}.json`] = createHash('sha256').update(text).digest('hex');
}
await writeFile(hashFile, `${JSON.stringify(hashes, null, 2)}\n`);
await connection.close();
process.stdout.write(`recorded ${[...kept].sort().join(', ')}\n`);

/** The type of a workflow with how it ended, or that it is still running. */
async function outcomeOf({ type, workflowId, runId, status }: WorkflowExecutionInfo): Promise<string> {
  if (status.name !== 'COMPLETED') return `${type}-${status.name.toLowerCase()}`;
  const result: unknown = await client.workflow.getHandle(workflowId, runId).result();
  const end = typeof result === 'string' ? result : (result as { reason?: string } | undefined)?.reason;
  return end === undefined ? type : `${type}-${end}`;
}
