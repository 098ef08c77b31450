import { expect, test } from '@jest/globals';
import { advanceClocks } from '../anchoring/advance-clocks.ts';
import { fundWallet, holdings } from '../vault-lifecycle/participants.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import {
  waitForProposal,
  execute,
  executeBody,
  freezeAndSign,
  governedVault,
  passedProposal,
} from './execution-requests.ts';
import { readStakeUsage } from './seed-stakes.ts';

const ADA = 1_000_000;
const DAY = 86_400;

/** A frozen sale with all signatures, ready to be sent. */
async function signedSale(stack: TestStack, first: number) {
  const governed = await governedVault(stack, first);
  const { villa, contributor, investor, partner: buyer } = governed;
  await fundWallet(stack, buyer, { ada: 1000 });
  const name = { policy_id: villa.policyId, asset_name: 'Villa' };
  const details = { action_type: 'sell_asset', affected_assets: [name], terms: { price: 600 * ADA } };
  const id = await passedProposal(stack, governed, { details });
  const action = { type: 'sell_asset', details: { ...name, price: 600 * ADA } };
  const body = executeBody(buyer, [contributor, investor], action);
  const { hash } = await freezeAndSign(stack, id, body, [contributor, investor, buyer]);
  return { ...governed, buyer, id, body, hash };
}

const assetStatus = async ({ sql }: TestStack, id: string) => {
  const { rows } = await sql.query<{ status: string }>('select status from assets where id = $1', [id]);
  return rows[0]?.status;
};

async function publishedEvents({ sql }: TestStack, proposalId: string): Promise<string[]> {
  const { rows } = await sql.query<{ line: string }>(
    `select concat_ws(' ', type, data ->> 'status') as line from outbox
       where data ->> 'proposalId' = $1 and seq is not null and type like any ('{EXECUTION%,PROPOSAL_STATUS%}') order by seq`,
    [proposalId],
  );
  return rows.map(({ line }) => line);
}

test('an execution that is rolled back is undone with events, and lands again with the same bytes', async () => {
  await using stack = await testStack();
  const { id, body, hash, villa, buyer, vaultId } = await signedSale(stack, 111);
  expect(await execute(stack, id, body)).toMatchObject({ status: 200 });
  await waitForProposal(stack, id, { status: 'EXECUTED' });
  expect(await assetStatus(stack, villa.id)).toBe('RELEASED');

  await stack.ledger.faults({ submit429: 1_000_000 });
  const { block_height: height } = (await stack.ledger.query<{ block_height: number }>(`/txs/${hash}`))!;
  await stack.ledger.rollbackFrom(height);
  const undone = await waitForProposal(stack, id, { status: 'PASSED' });
  expect(undone).toMatchObject({ phase: 'execution', execution: { status: 'SENT' } });
  expect(undone.allowedActions).toContainEqual({ action: 'execute', allowed: false, reason: 'EXECUTION_UNDER_WAY' });
  expect(await assetStatus(stack, villa.id)).toBe('LOCKED');

  await stack.ledger.faults({});
  const again = await waitForProposal(stack, id, { status: 'EXECUTED' });
  expect(again.result).toMatchObject({ transactionHash: hash, executedBy: buyer.address });
  expect(await assetStatus(stack, villa.id)).toBe('RELEASED');
  expect((await holdings(stack, buyer.address)).get(villa.unit)).toBe(1n);
  await until(async () => Object.values(await readStakeUsage(stack.sql, vaultId)).every(({ used }) => used === 0), {
    what: 'the stakes to be released',
  });
  const events = [
    'PROPOSAL_STATUS_CHANGED PASSED',
    'EXECUTION_FROZEN',
    'EXECUTION_SENT',
    'EXECUTION_CONFIRMED',
    'PROPOSAL_STATUS_CHANGED EXECUTED',
    'EXECUTION_ROLLED_BACK',
    'PROPOSAL_STATUS_CHANGED PASSED',
    'EXECUTION_CONFIRMED',
    'PROPOSAL_STATUS_CHANGED EXECUTED',
  ];
  await until(async () => (await publishedEvents(stack, id)).length >= events.length, {
    what: 'the events to be numbered',
  });
  expect(await publishedEvents(stack, id)).toEqual(events);
});

test('an execution that was sent and never landed fails at the end of its phase and releases all stakes and outputs', async () => {
  await using stack = await testStack();
  const { id, body, villa, vaultId } = await signedSale(stack, 121);
  await stack.ledger.faults({ drop: 1_000_000 });
  expect(await execute(stack, id, body)).toMatchObject({ status: 200 });
  await waitForProposal(stack, id, { status: 'PASSED', phase: 'execution' });

  await advanceClocks(stack, 3 * DAY);
  expect(await waitForProposal(stack, id, { status: 'FAILED' })).toMatchObject({
    failureReason: 'execution_window_elapsed',
    execution: { status: 'FAILED', transaction: { status: 'expired' } },
  });
  expect(await assetStatus(stack, villa.id)).toBe('LOCKED');
  const { rows } = await stack.sql.query(
    `select 1 from utxo_leases l join chain_transactions t on t.id = l.transaction_id where t.kind = 'execute'`,
  );
  expect(rows).toEqual([]);
  await until(async () => Object.values(await readStakeUsage(stack.sql, vaultId)).every(({ used }) => used === 0), {
    what: 'the stakes to be released',
  });
});
