import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { searchAttributes } from '../../src/temporal/search-attributes.ts';
import { vaultWorkflowId } from '../../src/temporal/workflow-ids.ts';
import { advance } from '../vault-lifecycle/vault-requests.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { waitForProposal, execute, executeBody, governedVault, passedProposal } from './execution-requests.ts';

const DAY = 86_400;

/** Terminates a vault's workflow and starts it again from the database, as continue-as-new does; waits until it is in the given phase. */
async function restartWorkflow({ temporal, sql }: TestStack, vaultId: string, phase: string): Promise<void> {
  const client = connectTemporal({ ...temporal, taskQueue: 'none' });
  await client.workflow.getHandle(vaultWorkflowId(vaultId)).terminate('a test');
  const message = { kind: 'start', workflow: 'vault', vaultId, again: true };
  await sql.query('insert into workflow_notices (id, workflow_id, message) values ($1, $2, $3)', [
    randomUUID(),
    vaultWorkflowId(vaultId),
    JSON.stringify(message),
  ]);
  const isInPhase = async () => {
    const { status, typedSearchAttributes } = await client.workflow.getHandle(vaultWorkflowId(vaultId)).describe();
    return status.name !== 'TERMINATED' && typedSearchAttributes.get(searchAttributes.phase) === phase;
  };
  await until(isInPhase, { what: `the workflow to be in ${phase} again` });
  await client.connection.close();
}

const readStatus = async ({ sql }: TestStack, vaultId: string) => {
  const { rows } = await sql.query<object>('select status, failed_because as because from vaults where id = $1', [
    vaultId,
  ]);
  return rows[0];
};

test('a settled vault whose workflow starts again does not price purchased assets, and refunds nothing after its liquidation', async () => {
  await using stack = await testStack();
  const governed = await governedVault(stack, 421);
  const { vaultId, villa, contributor } = governed;
  await advance(stack, 10 * DAY);
  // Like a purchased asset: the settlement did not count its price, and the market has no usable one.
  await stack.sql.query('update assets set counted_price = null where id = $1', [villa.id]);
  await stack.ledger.setPrice({ policyId: villa.policyId, lovelace: '1', decimals: 3 });
  await restartWorkflow(stack, vaultId, 'governance');
  expect(await readStatus(stack, vaultId)).toEqual({ status: 'LOCKED', because: null });

  const id = await passedProposal(stack, governed, { details: { action_type: 'liquidate' }, required: 0 });
  const body = executeBody(contributor, [], { type: 'liquidate', details: {} });
  expect(await execute(stack, id, body)).toMatchObject({ status: 200 });
  await waitForProposal(stack, id, { status: 'EXECUTED' });
  await restartWorkflow(stack, vaultId, 'governance');
  expect(await readStatus(stack, vaultId)).toEqual({ status: 'LOCKED', because: 'liquidated' });
}, 240_000);
