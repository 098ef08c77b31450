import { expect, test } from '@jest/globals';
import { createWorkflowTime } from '../../embedded/dev/workflow-time.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { searchAttributes } from '../../src/temporal/search-attributes.ts';
import { proposalWorkflowId } from '../../src/temporal/workflow-ids.ts';
import { advanceClocks } from '../anchoring/advance-clocks.ts';
import { fundWallet, holdings } from '../vault-lifecycle/participants.ts';
import { sendAllToSelf } from '../vault-lifecycle/direct-submission.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import {
  waitForProposal,
  execute,
  executeBody,
  freezeAndSign,
  governedVault,
  passedProposal,
  readProposal,
} from './execution-requests.ts';
import { holdLock } from './kill-during-commit.ts';
import { readStakeUsage } from './seed-stakes.ts';

const PRICE = 600_000_000;
const DAYS = 3 * 86_400;

/** Moves the timers of a proposal's workflow to the time of the shared clock and waits until the workflow is in the given phase. */
async function moveWorkflowTo(stack: TestStack, proposalId: string, phase: string): Promise<void> {
  const client = connectTemporal({ ...stack.temporal, taskQueue: 'none' });
  const workflowId = proposalWorkflowId(proposalId);
  const { rows } = await stack.sql.query<{ offset_ms: string }>('select offset_ms from clock_offset');
  await createWorkflowTime(client).moveTo(workflowId, Number(rows[0]?.offset_ms));
  const hasPhase = async () => {
    const { typedSearchAttributes } = await client.workflow.getHandle(workflowId).describe();
    return typedSearchAttributes.get(searchAttributes.phase) === phase;
  };
  await until(hasPhase, { what: `the workflow to be in ${phase}` });
  await client.connection.close();
}

test('a sale whose buyer spent the ADA elsewhere fails with its cause and releases everything; one that landed in time succeeds however late it is seen', async () => {
  await using stack = await testStack();
  const governed = await governedVault(stack, 131);
  const { vaultId, villa, custody, contributor, investor, partner: buyer } = governed;
  await fundWallet(stack, buyer, { ada: 2000 });
  const name = { policy_id: villa.policyId, asset_name: 'Villa' };
  const details = { action_type: 'sell_asset', affected_assets: [name], terms: { price: PRICE } };
  const body = executeBody(buyer, [contributor, investor], { type: 'sell_asset', details: { ...name, price: PRICE } });
  const signers = [contributor, investor, buyer];
  const areReleased = async () =>
    Object.values(await readStakeUsage(stack.sql, vaultId)).every(({ used }) => used === 0);
  const stakesReleased = () => until(areReleased, { what: 'the stakes to be released' });

  const failing = await passedProposal(stack, governed, { details });
  await freezeAndSign(stack, failing, body, signers);
  const spendingHash = await sendAllToSelf(stack, buyer);
  await until(() => stack.ledger.query(`/txs/${spendingHash}`), { what: 'the ADA to be spent' });
  expect(await execute(stack, failing, body)).toMatchObject({ status: 200 });
  const failed = await waitForProposal(stack, failing, { status: 'FAILED' });
  expect(failed).toMatchObject({
    failureReason: 'execution_failed',
    execution: { status: 'FAILED', transaction: { status: 'failed' } },
  });
  expect(failed.result?.cause).toMatch(/input [0-9a-f]{64}#\d+ was spent by another transaction/);
  await stakesReleased();
  const { rows } = await stack.sql.query(
    `select a.status, (select count(*)::int from utxo_leases l join chain_transactions t on t.id = l.transaction_id
       where t.kind = 'execute') as leases from assets a where a.id = $1`,
    [villa.id],
  );
  expect(rows).toEqual([{ status: 'LOCKED', leases: 0 }]);

  const id = await passedProposal(stack, governed, { details });
  const before = (await holdings(stack, custody)).get('lovelace') ?? 0n;
  const { hash } = await freezeAndSign(stack, id, body, signers);
  {
    // The ledger follower is blocked while this lock is held.
    await using follower = await holdLock(stack, 'select id from platform for update');
    await follower.reached();
    expect(await execute(stack, id, body)).toMatchObject({ status: 200 });
    await until(() => stack.ledger.query(`/txs/${hash}`), {
      what: 'the execution to be in a block',
    });
    await advanceClocks(stack, DAYS);
    await moveWorkflowTo(stack, id, 'landing');
    expect(await readProposal(stack, id)).toMatchObject({
      status: 'PASSED',
      phase: 'execution',
      execution: { status: 'SENT' },
    });
  }
  const executed = await waitForProposal(stack, id, { status: 'EXECUTED' });
  expect(executed.result).toMatchObject({ outcome: 'EXECUTED', transactionHash: hash });
  await stakesReleased();
  expect((await holdings(stack, buyer.address)).get(villa.unit)).toBe(1n);
  expect(((await holdings(stack, custody)).get('lovelace') ?? 0n) - before).toBe(BigInt(PRICE));
}, 240_000);
