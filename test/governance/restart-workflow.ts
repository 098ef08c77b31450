import { randomUUID } from 'node:crypto';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { searchAttributes } from '../../src/platform/temporal/search-attributes.ts';
import { vaultWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

/** Terminates a vault's workflow and starts it again from the database, as continue-as-new does; waits until it is in the given phase. */
export async function restartWorkflow({ temporal, sql }: TestStack, vaultId: string, phase: string): Promise<void> {
  const client = connectTemporal({ ...temporal, taskQueue: 'none' });
  await client.workflow.getHandle(vaultWorkflowId(vaultId)).terminate('a test');
  const message = { kind: 'start', workflow: 'vault', vaultId, again: true };
  await sql.run`insert into workflow_notices (id, workflow_id, message)
      values (${randomUUID()}, ${vaultWorkflowId(vaultId)}, ${JSON.stringify(message)})`;
  const isInPhase = async () => {
    const { status, typedSearchAttributes } = await client.workflow.getHandle(vaultWorkflowId(vaultId)).describe();
    return status.name !== 'TERMINATED' && typedSearchAttributes.get(searchAttributes.phase) === phase;
  };
  await until(isInPhase, { what: `the workflow to be in ${phase} again` });
  await client.connection.close();
}
