import { createWorkflowTime } from '../../embedded/dev/workflow-time.ts';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { vaultWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import type { TestStack } from '../stack/test-stack.ts';

const WEEK_MS = 7 * 86_400_000;

/** Moves all clocks past T while the settlement of a vault is under way. */
export async function passDeadline(stack: TestStack, vaultId: string): Promise<void> {
  const offsetMs = (await stack.ledger.clock()).offsetMs + WEEK_MS;
  await stack.sql.run`update clock_offset set offset_ms = ${offsetMs}`;
  await stack.ledger.setClock(offsetMs);
  const client = connectTemporal({ ...stack.temporal, taskQueue: 'none' });
  await createWorkflowTime(client).moveTo(vaultWorkflowId(vaultId), offsetMs);
  await client.connection.close();
}
