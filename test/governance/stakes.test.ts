import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { baseUnits } from '../../src/platform/units/money.ts';
import { instant } from '../../src/platform/units/time.ts';
import { vaultWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { stakesWithPower } from '../../src/staking/queries/vault-stakes.ts';
import { setUsedPower } from '../../src/staking/queries/stakes.ts';
import { killWorkerAt, countOnLedger } from '../vault-lifecycle/kill-worker.ts';
import { submitWitnesses, holdings, person, waitForTransaction } from '../vault-lifecycle/participants.ts';
import { expectBooks } from '../books/expect-books.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { countSignals } from '../stack/workflow-details.ts';
import { waitUntilAllNumbered, slowRefusingLedger } from './kill-during-commit.ts';
import { settledVault } from './settled-vault.ts';
import { errorResponse } from '../stack/error-response.ts';

interface UnsignedTransaction {
  readonly hash: string;
  readonly status: string;
  readonly unsignedTx: string;
  readonly expiresAt: string;
  readonly requiredSigners: string[];
}
interface StakeRead {
  readonly id: string;
  readonly status: string;
  readonly votingPower: number;
  readonly scriptAddress: string;
  readonly transactions: { readonly stakeHash: string; readonly unstakeHash?: string };
}
interface StakeResponse {
  data: StakeRead & { transaction: UnsignedTransaction };
}

async function waitUntilAllFinal({ sql }: TestStack, vaultId: string): Promise<void> {
  const areFinal = async () => {
    const open = `select from chain_transactions where vault_id = $1 and state not in ('final', 'expired', 'failed')`;
    return (await sql.query(open, [vaultId])).rows.length === 0;
  };
  await until(areFinal, { what: 'every transaction of the vault to be final' });
}

/** Waits until every message of the workflow outbox has been sent. */
async function waitUntilAllSent({ sql }: TestStack): Promise<void> {
  const areSent = async () => (await sql.run`select from workflow_notices where sent_at is null`).length === 0;
  await until(areSent, { what: 'every workflow message to be sent' });
}

test('staked tokens have power once final, lose it in a rollback, return once though the worker is killed, and the vault workflow gets no signal', async () => {
  await using stack = await testStack();
  const [owner, investor] = [person(41), person(42)];
  const vault = await settledVault(stack, { contributor: owner, investor });
  const { api } = stack;
  const token = vault.fractionalization.tokenAddress;
  const held = async (address: string) => (await holdings(stack, address)).get(token) ?? 0n;
  const before = await held(owner.address);
  await waitUntilAllFinal(stack, vault.id);
  await waitUntilAllSent(stack);
  const signalsBefore = await countSignals(stack, vaultWorkflowId(vault.id));
  const amount = 1_000_500_000n;

  const staking = { walletAddress: owner.address, amount: '1000.5' };
  const { status, body } = await api.post<StakeResponse>(`/vaults/${vault.id}/stakes`, staking);
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { data: { status: 'ACTIVE', amount: 1000.5, votingPower: 0, usedPower: 0, deliveryDeposit: '2000000' } },
  });
  const stake = body.data;
  const path = `/stakes/${stake.id}`;
  const read = async () => (await api.get<{ data: StakeRead }>(path)).body.data;
  expect(await api.del(path)).toMatchObject(errorResponse(400, 'STAKE_NOT_FINAL'));
  await submitWitnesses(stack, owner, stake.transaction);
  await waitForTransaction(stack, stake.transaction.hash, ['final']);
  expect(await read()).toMatchObject({
    votingPower: 1000.5,
    votingPowerBaseUnits: String(amount),
    allowedActions: [{ action: 'unstake', allowed: true }],
  });
  expect(await held(stake.scriptAddress)).toBe(amount);
  const { remains } = await expectBooks(stack, vault.id);
  expect(remains.filter(({ reason }) => reason === 'stake').map(({ address }) => address)).toEqual([
    stake.scriptAddress,
  ]);
  expect(await held(owner.address)).toBe(before - amount);
  expect(await api.get(`/wallets/${owner.address}/voting-power`)).toMatchObject({
    body: { data: { powers: [{ vaultId: vault.id, staked: 1000.5, votingPower: 1000.5, usedPower: 0 }] } },
  });

  await stack.ledger.faults({ submit429: 1_000_000 });
  const height = (await stack.ledger.query<{ block_height: number }>(`/txs/${stake.transaction.hash}`))!.block_height;
  await stack.ledger.rollbackFrom(height);
  await until(async () => (await read()).votingPower === 0, { what: 'the power to be gone' });
  expect(await read()).toMatchObject({ status: 'ACTIVE', finalAt: null });
  expect(await api.del(path)).toMatchObject(errorResponse(400, 'STAKE_NOT_FINAL'));
  await stack.ledger.faults({});
  await until(async () => (await read()).votingPower === 1000.5, { what: 'the power to be back' });

  const db = openDatabase(stack.databaseUrl, () => undefined, 1);
  const setUsed = (used: bigint, until: number | null) =>
    db.transaction().execute(async (tx) => {
      const [mine] = await stakesWithPower(tx, vault.id, owner.address);
      const lockedUntil = until === null ? null : instant(until);
      const context = { tx, ids: { next: randomUUID }, now: instant(Date.now()) };
      await setUsedPower(context, mine!, { usedPower: baseUnits(used), lockedUntil });
    });
  await expect(setUsed(amount + 1n, Date.now())).rejects.toThrow('used_power_is_there');
  await setUsed(amount, Date.now());
  expect(await api.del(path)).toMatchObject(errorResponse(400, 'STAKE_LOCKED'));
  expect(await read()).toMatchObject({
    status: 'LOCKED',
    usedPower: 1000.5,
    allowedActions: [{ reason: 'STAKE_LOCKED' }],
  });
  await setUsed(0n, null);
  await db.destroy();

  await stack.ledger.faults(slowRefusingLedger);
  const unstaked = await api.del<StakeResponse>(path);
  expect(unstaked).toMatchObject({
    status: 200,
    body: { data: { votingPower: 0, transaction: { status: 'awaiting_signatures' } } },
  });
  expect(unstaked.body.data.transaction.requiredSigners).toHaveLength(2);
  expect(await api.del(path)).toMatchObject(errorResponse(400, 'STAKE_ALREADY_LEAVING'));
  const killing = killWorkerAt(stack, vault.id, 'unstake', 'before submission');
  await submitWitnesses(stack, owner, unstaked.body.data.transaction);
  await killing;
  await stack.ledger.faults({});
  await until(async () => (await read()).status === 'RELEASED', { what: 'the stake to be RELEASED' });
  expect(await read()).toMatchObject({ votingPower: 0, releaseReason: 'unstaked' });
  expect(await held(owner.address)).toBe(before);
  expect(await held(stake.scriptAddress)).toBe(0n);
  await expectBooks(stack, vault.id);
  expect(await api.del(path)).toMatchObject(errorResponse(400, 'STAKE_ALREADY_RELEASED'));

  await waitForTransaction(stack, unstaked.body.data.transaction.hash, ['final']);
  await waitUntilAllSent(stack);
  expect(await countSignals(stack, vaultWorkflowId(vault.id))).toBe(signalsBefore);
  expect(new Set((await countOnLedger(stack, vault.id)).values())).toEqual(new Set([1]));
  await waitUntilAllNumbered(stack);
  const rows = await stack.sql.run<{ type: string }>`select type from outbox
      where vault_id = ${vault.id} and type like 'STAKE%' order by seq`;
  expect(rows.map(({ type }) => type)).toEqual([
    'STAKE_STARTED',
    'STAKE_CONFIRMED',
    'STAKE_FINAL',
    'STAKE_ROLLED_BACK',
    'STAKE_CONFIRMED',
    'STAKE_FINAL',
    'STAKE_RETURN_STARTED',
    'STAKE_RELEASED',
  ]);
  expect(await statusesWithoutEvent(stack)).toEqual([]);
});

/** The transactions whose events name other statuses than their history, which begins before the first event. */
async function statusesWithoutEvent({ sql }: TestStack): Promise<unknown[]> {
  const rows = await sql.run<object>`select * from (
       select t.hash, array_agg(h.state order by h.position) as states
       from chain_transaction_history h join chain_transactions t on t.id = h.transaction_id where h.position > 0 group by t.hash
     ) history full join (
       select transaction_hash as hash, array_agg(data ->> 'to' order by recorded) as told
       from outbox where type in ('TRANSACTION_STATUS_CHANGED', 'TRANSACTION_ROLLED_BACK') group by transaction_hash
     ) events using (hash)
     where states is distinct from told`;
  return rows;
}
