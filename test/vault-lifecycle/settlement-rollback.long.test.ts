import { expect, test } from '@jest/globals';
import { buildFtMint } from '../../src/cardano/build/settlement.ts';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import { readWitnessSet, witnessSetOf, mergeWitnesses } from '../../src/cardano/keys/witnesses.ts';
import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { policyScript } from '../../src/cardano/scripts/vault-scripts.ts';
import { tokenNameHex } from '../../src/cardano/tokens/fractional-token.ts';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { vaultWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { expectBooks } from '../books/expect-books.ts';
import { canaries } from '../secrets/canaries.ts';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { workflowDetails } from '../stack/workflow-details.ts';
import { sendAllToSelf } from './direct-submission.ts';
import { countOnLedger } from './kill-worker.ts';
import { contribute, fundWallet, holdings, invest, person, waitForTransaction } from './participants.ts';
import { rollBackFrom } from './roll-back-transactions.ts';
import { advance, waitForVaultStatus, createVault, readVault } from './vault-requests.ts';

const DAY = 86_400;
const WEEK = 7 * DAY;

interface SentTransaction {
  readonly kind: string;
  readonly hash: string;
}

async function sentTransactions(
  { sql }: TestStack,
  vaultId: string,
  kinds: readonly string[],
): Promise<SentTransaction[]> {
  const rows = await sql.run<SentTransaction>`select kind, hash from chain_transactions
      where vault_id = ${vaultId} and kind = any(${kinds}) order by created_at`;
  return rows;
}

const rollBack = (stack: TestStack, transactions: readonly SentTransaction[]) =>
  rollBackFrom(
    stack,
    transactions.map(({ hash }) => hash),
  );

/** Counts how often a vault went from LOCKED back to ACTIVE. */
async function countUnlocks({ sql }: TestStack, vaultId: string): Promise<number> {
  const rows = await sql.run`select 1 from outbox where vault_id = ${vaultId} and type = 'VAULT_STATUS_CHANGED'
      and data ->> 'from' = 'LOCKED' and data ->> 'to' = 'ACTIVE'`;
  return rows.length;
}

async function filledVault(stack: TestStack, wallet: number, lovelace: number): Promise<string> {
  const [owner, investor] = [person(wallet), person(wallet + 1)];
  const name = `Mill ${wallet}`;
  const vaultId = await createVault(stack, owner.address);
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { [name]: 1 } });
  await fundWallet(stack, investor, { ada: 200_000 });
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const { hash: brought } = await contribute(stack, vaultId, owner, { policyId, name });
  const { hash: invested } = await invest(stack, vaultId, investor, lovelace);
  for (const hash of [brought, invested]) await waitForTransaction(stack, hash, ['confirmed', 'final']);
  return vaultId;
}

const stackOfFile = fileStack();

test('a rolled back settlement is undone visibly and is confirmed again, with the same bytes while valid and rebuilt afterwards', async () => {
  const stack = stackOfFile();
  const vaultId = await filledVault(stack, 91, 100_000_000_000);
  await advance(stack, WEEK);
  const { fractionalization } = await waitForVaultStatus(stack, vaultId, 'LOCKED');
  const before = await sentTransactions(stack, vaultId, ['mint', 'deliver', 'liquidity']);
  const held = await holdings(stack, person(92).address);

  await rollBack(stack, before);
  const unlocked = await countUnlocks(stack, vaultId);
  expect(unlocked).toBeGreaterThan(0);
  await waitForVaultStatus(stack, vaultId, 'LOCKED');
  const after = await sentTransactions(stack, vaultId, ['mint', 'deliver', 'liquidity']);
  expect(after.map(({ hash }) => hash)).toEqual(before.map(({ hash }) => hash));
  expect(new Set((await countOnLedger(stack, vaultId)).values())).toEqual(new Set([1]));
  expect(await holdings(stack, person(92).address)).toEqual(held);
  await expectBooks(stack, vaultId);
  expect(held.get(fractionalization.tokenAddress)).toBeGreaterThan(0n);

  await advance(stack, DAY);
  await rollBack(stack, after);
  expect(await countUnlocks(stack, vaultId)).toBeGreaterThan(unlocked);
  const { fractionalization: rebuilt } = await waitForVaultStatus(stack, vaultId, 'LOCKED');
  // The first mint can never be confirmed again, nor can another under its policy: the token is a new one.
  expect(rebuilt.tokenAddress).not.toBe(fractionalization.tokenAddress);
  expect((await holdings(stack, person(92).address)).get(rebuilt.tokenAddress)).toBe(
    held.get(fractionalization.tokenAddress),
  );
  await expectBooks(stack, vaultId);
  const supply = await stack.ledger.query<{ quantity: string }>(`/assets/${rebuilt.tokenAddress}`);
  expect(supply?.quantity).toBe(fractionalization.tokenSupplyBaseUnits);
  expect(await stack.ledger.query(`/assets/${fractionalization.tokenAddress}`)).toBeNull();

  // A fork has other transactions of the operator: the settlement is built again from what they leave.
  const evidence = await spendElsewhere(stack, vaultId);
  const { fractionalization: third } = await waitForVaultStatus(stack, vaultId, 'LOCKED');
  expect(evidence.conflict).toMatchObject({ spentBy: evidence.spentBy });
  expect(third.tokenAddress).not.toBe(rebuilt.tokenAddress);
  expect((await holdings(stack, person(92).address)).get(third.tokenAddress)).toBe(
    held.get(fractionalization.tokenAddress),
  );
  await expectBooks(stack, vaultId);
});

/** Rolls back to before the newest mint of a vault, and spends what the operator has there; returns what is read of that mint. */
async function spendElsewhere(stack: TestStack, vaultId: string) {
  const { hash } = (await sentTransactions(stack, vaultId, ['mint'])).at(-1) ?? { hash: '' };
  const rows = await stack.sql.run<{ height: number }>`select block_height::int as height from chain_transactions
      where hash = ${hash}`;
  // Nobody sends anything again before the other transaction is there.
  await stack.kill('worker');
  await stack.ledger.rollbackFrom(rows[0]?.height ?? 0);
  const { operator } = deriveKeys(canaries.operatorMnemonic, 0);
  const sign = (unsigned: string) => witnessSetOf(unsigned, [operator]);
  const spentBy = await sendAllToSelf(stack, { address: operator.address, sign });
  await stack.ledger.mine(5);
  await stack.restart('worker');
  await waitForTransaction(stack, hash, ['failed']);
  const { body } = await stack.api.get<{ data: { conflict: object | null } }>(`/transactions/${hash}`);
  return { spentBy, conflict: body.data.conflict };
}

test('a settled vault that starts again after T continues, whatever of its deposits waits for an operator', async () => {
  const stack = stackOfFile();
  const vaultId = await filledVault(stack, 99, 100_000_000_000);
  await advance(stack, WEEK);
  await waitForVaultStatus(stack, vaultId, 'LOCKED');
  await stack.sql.run`insert into quarantine (transaction_id, from_state, to_state, is_rollback, error, attempts, at,
      attempted_at)
      select id, 'confirmed', 'final', false, 'a test', 1, now(), now() from chain_transactions
      where vault_id = ${vaultId} and kind = 'add_asset'`;
  await stack.sql.run`update vaults set settles_by = created_at where id = ${vaultId}`;
  await restartWorkflow(stack, vaultId);
  const details = () => workflowDetails(stack, vaultWorkflowId(vaultId)).catch(String);
  await until(async () => (await details()).startsWith('Settled.'), { what: 'the vault to go on', deadlineMs: 30_000 });
  expect((await readVault(stack, vaultId)).status).toBe('LOCKED');
  await stack.sql.run`delete from quarantine`;
});

/** Ends the workflow of a vault and starts it again, as when its history has become long. */
async function restartWorkflow(stack: TestStack, vaultId: string): Promise<void> {
  const client = connectTemporal({ ...stack.temporal, taskQueue: 'none' });
  const workflowId = vaultWorkflowId(vaultId);
  const workflow = client.workflow.getHandle(workflowId);
  const { taskQueue } = await workflow.describe();
  await workflow.terminate();
  const { offsetMs: clockOffsetMs } = await stack.ledger.clock();
  await client.workflow.start('vault', { workflowId, taskQueue, args: [{ vaultId, clockOffsetMs }] });
  await client.connection.close();
}

test('whoever has the policy key cannot mint tokens of a vault again an hour after its mint', async () => {
  const stack = stackOfFile();
  const vaultId = await filledVault(stack, 97, 100_000_000_000);
  expect((await readVault(stack, vaultId)).fractionalization.tokenAddress).toBeNull();
  await advance(stack, WEEK);
  const { fractionalization } = await waitForVaultStatus(stack, vaultId, 'LOCKED');
  await advance(stack, 3600);
  for (const afterDeadline of [0, 7200]) expect(await mintAgain(stack, vaultId, afterDeadline)).toBe(400);
  const supply = await stack.ledger.query<{ quantity: string }>(`/assets/${fractionalization.tokenAddress}`);
  expect(supply?.quantity).toBe(fractionalization.tokenSupplyBaseUnits);
  await expect(
    stack.sql.query(
      `insert into chain_transactions select (jsonb_populate_record(t, jsonb_build_object(
        'id', gen_random_uuid(), 'hash', repeat(n::text, 64), 'state', 'pending'))).*
        from chain_transactions t, generate_series(0, 1) n where vault_id = $1 and kind = 'mint'`,
      [vaultId],
    ),
  ).rejects.toThrow('one_open_mint');
});

/** Mints a vault's tokens again with its own policy key; returns the status of the ledger's response. */
async function mintAgain(stack: TestStack, vaultId: string, afterDeadline: number): Promise<number> {
  const [minted] = await stack.sql.run<{ ttl_slot: string; policy_key_hash: string; contract_address: string }>`
      select t.ttl_slot, v.policy_key_hash, v.contract_address from chain_transactions t
      join vaults v on v.id = t.vault_id where v.id = ${vaultId} and t.kind = 'mint'`;
  const keys = deriveKeys(canaries.operatorMnemonic, 0);
  const indexes = Array.from({ length: 200 }, (_, index) => index);
  const policyKey = indexes
    .map((index) => keys.policyKey(index))
    .find(({ keyHash }) => keyHash === minted?.policy_key_hash);
  if (!minted || !policyKey) throw new Error('the policy key of the vault was not found');
  const ledger = createLedger({ baseUrl: `${stack.ledger.url}/api/v0`, timeoutMs: 5000 });
  const { address, keyHash } = keys.operator;
  const [utxos, parameters] = await Promise.all([ledger.utxos(address), ledger.protocolParameters()]);
  const deadlineSlot = Number(minted.ttl_slot);
  const { cbor } = buildFtMint(
    { parameters, networkId: 0 },
    {
      operator: { address, keyHash, utxos },
      policy: policyScript({ policyKeyHash: policyKey.keyHash, deadlineSlot }),
      policyKeyHash: policyKey.keyHash,
      ft: { nameHex: tokenNameHex('More'), supply: 1n, name: 'More', ticker: 'MORE', decimals: 6 },
      settlementAddress: minted.contract_address,
      custodyAddress: minted.contract_address,
      plan: { terms: 'ab'.repeat(32), root: 'cd'.repeat(32), shares: 1 },
      ttlSlot: deadlineSlot + afterDeadline,
    },
  );
  const signed = mergeWitnesses(cbor, readWitnessSet(witnessSetOf(cbor, [keys.operator, policyKey])));
  return (await stack.ledger.submit(signed)).status;
}

test('a refund that is rolled back after its vault has ended still reaches its owners', async () => {
  const stack = stackOfFile();
  const vaultId = await filledVault(stack, 93, 5_000_000);
  await advance(stack, WEEK);
  await waitForVaultStatus(stack, vaultId, 'TERMINATED');
  const held = await holdings(stack, person(94).address);
  const refunds = await sentTransactions(stack, vaultId, ['refund']);

  await rollBack(stack, refunds);
  for (const { hash } of refunds) await waitForTransaction(stack, hash, ['confirmed', 'final']);
  expect(await holdings(stack, person(94).address)).toEqual(held);
  const { rows } = await stack.sql.query<{ status: string }>(
    'select status from assets where vault_id = $1 union all select status from investments where vault_id = $1',
    [vaultId],
  );
  expect(rows).toEqual([{ status: 'RELEASED' }, { status: 'REFUNDED' }]);
});

test('a refund that is rolled back after its vault has ended and its TTL has passed is rebuilt and is confirmed once', async () => {
  const stack = stackOfFile();
  const vaultId = await filledVault(stack, 95, 5_000_000);
  await advance(stack, WEEK);
  await waitForVaultStatus(stack, vaultId, 'TERMINATED');
  const held = await holdings(stack, person(96).address);
  const before = await sentTransactions(stack, vaultId, ['refund']);

  await advance(stack, DAY);
  await rollBack(stack, before);
  for (const { hash } of before) await waitForTransaction(stack, hash, ['expired']);
  const rebuilt = await until(
    async () => {
      const newRefunds = (await sentTransactions(stack, vaultId, ['refund'])).filter(({ hash }) =>
        before.every((old) => old.hash !== hash),
      );
      return newRefunds.length > 0 && newRefunds;
    },
    { what: 'another refund' },
  );
  for (const { hash } of rebuilt) await waitForTransaction(stack, hash, ['final']);

  expect(await holdings(stack, person(96).address)).toEqual(held);
  for (const { hash } of before) expect(await stack.ledger.query(`/txs/${hash}`)).toBeNull();
  const { rows } = await stack.sql.query<{ status: string; reason: string }>(
    `select status, release_reason as reason from assets where vault_id = $1
      union all select status, release_reason from investments where vault_id = $1`,
    [vaultId],
  );
  expect(rows).toEqual([
    { status: 'RELEASED', reason: 'refunded' },
    { status: 'REFUNDED', reason: 'refunded' },
  ]);
  expect((await readVault(stack, vaultId)).status).toBe('TERMINATED');
  expect((await expectBooks(stack, vaultId)).remains).toMatchObject([{ reason: 'vault_token' }]);
});
