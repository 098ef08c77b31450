/** `npm run histories`: records the histories of a running stack's workflows into test/histories, for the replay test. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection, type WorkflowExecutionInfo } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

const KEPT_PER_OUTCOME = 1;

const folder = fileURLToPath(new URL('../test/histories/', import.meta.url));
const stack = await readFile(join(process.env['DATA_DIR'] ?? '.data', 'stack.json'), 'utf8');
const { temporalAddress } = JSON.parse(stack) as { temporalAddress: string };
const connection = await Connection.connect({ address: temporalAddress });
const client = new Client({ connection });

const kept = new Map<string, number>();
for await (const execution of client.workflow.list()) {
  const outcome = await outcomeOf(execution);
  const number = kept.get(outcome) ?? 0;
  if (number >= KEPT_PER_OUTCOME || execution.type.startsWith('temporal-')) continue;
  kept.set(outcome, number + 1);
  const history = await client.workflow.getHandle(execution.workflowId, execution.runId).fetchHistory();
  await writeFile(join(folder, `${outcome}.json`), `${historyToJSON(history)}\n`);
}
await connection.close();
process.stdout.write(`recorded ${[...kept.keys()].sort().join(', ')}\n`);

/** The type of a workflow with how it ended, or that it is still running. */
async function outcomeOf({ type, workflowId, runId, status }: WorkflowExecutionInfo): Promise<string> {
  if (status.name !== 'COMPLETED') return `${type}-${status.name.toLowerCase()}`;
  const result: unknown = await client.workflow.getHandle(workflowId, runId).result();
  const end = typeof result === 'string' ? result : (result as { reason?: string } | undefined)?.reason;
  return end === undefined ? type : `${type}-${end}`;
}
