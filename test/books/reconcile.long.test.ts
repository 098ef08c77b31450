import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { beforeAll, expect, test } from '@jest/globals';
import { claimsScript, custodyScript } from '../../src/cardano/scripts/vault-scripts.ts';
import { claimShare, readStatus } from '../governance/ending-vault.ts';
import { openedPot } from '../governance/opened-pot.ts';
import { settledVault } from '../governance/settled-vault.ts';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { leave, type OwnerScript } from '../vault-lifecycle/leave.ts';
import { fundWallet, person, submitWitnesses, waitForTransaction } from '../vault-lifecycle/participants.ts';
import { advance, createVault } from '../vault-lifecycle/vault-requests.ts';
import { scanUnsolicited } from '../vaults/unsolicited-scan.ts';
import { differencesAfter } from './differences-after.ts';
import { changed, hash, planted, plantedInPot } from './planted-differences.ts';
import { audit, reconcile } from './run-program.ts';
import { steal } from './steal.ts';
import { errorResponse } from '../stack/error-response.ts';

const DAY = 86_400;
const [ownerOfFile, investorOfFile] = [person(751), person(752)];
const stackOfFile = fileStack();
let vaultId = '';

beforeAll(async () => {
  const stack = stackOfFile();
  // What they would do at the next half hour is done by the tests.
  for (const schedule of ['unsolicited-look', 'reconciliation'])
    await withTemporal(stack, (client) => client.schedule.getHandle(schedule).pause());
  const members = { contributor: ownerOfFile, investor: investorOfFile };
  const termination = { type: 'PROGRAMMED', duration: '30:00:00' };
  const vault = await settledVault(stack, members, { nft: 'Belfry', vault: { termination } });
  vaultId = vault.id;
  const staking = { walletAddress: ownerOfFile.address, amount: '1000' };
  const { body } = await stack.api.post<{
    data: { transaction: { hash: string; unsignedTx: string; expiresAt: string } };
  }>(`/vaults/${vaultId}/stakes`, staking);
  await submitWitnesses(stack, ownerOfFile, body.data.transaction);
  await waitForTransaction(stack, body.data.transaction.hash, ['final']);
  await advance(stack, 2 * 3600);
  // A stranger's output is no difference: no scan has found it yet.
  await fundWallet(stack, { ...ownerOfFile, address: vault.contractAddress }, { ada: 7 });
});

interface Report {
  readonly reconciliationId: string;
  readonly startedBy: string;
  readonly vaults: number;
  readonly differences: object;
}

test('the books of an untouched vault agree with the ledger; what does not is printed, stored and counted, and one vault stops no other', async () => {
  const stack = stackOfFile();
  const draft = await createVault(stack, ownerOfFile.address);
  const { stdout, code } = await reconcile(stack);
  expect(stdout).toMatch(/^2 vaults, 0 differences/);
  expect(code).toBe(0);
  expect(await audit(stack, vaultId)).toMatchObject({ code: 0, stdout: expect.stringMatching(/\n0 differences\n$/) });

  await runSchedule(stack);
  await stack.sql.run`update entitlements set ft = ft + 1 where vault_id = ${vaultId} and position = 0`;
  await stack.sql.run`update vaults set vault_key_hash = 'none' where id = ${draft}`;
  const damaged = await reconcile(stack);
  expect(damaged.code).toBe(1);
  expect(damaged.stdout).toMatch(/ENTITLEMENT_DIFFERS vault \S+ \S+\n {2}books: \d+\n {2}ledger: \d+ paid\n/);
  expect(damaged.stdout).toMatch(/\n2 vaults, 3 differences \(correctness: 2, completeness: 1\)/);
  expect(damaged.stdout).toContain('What to do about each code: docs/operations/runbook.md');
  const reports = await stack.api.get<{ data: { reconciliations: Report[] } }>('/reconciliations');
  expect(reports.body.data.reconciliations).toMatchObject([
    { startedBy: 'operator', vaults: 2, differences: { correctness: 2, completeness: 1 } },
    { startedBy: 'schedule', vaults: 2, differences: { correctness: 0, completeness: 0 } },
    { startedBy: 'operator', vaults: 2, differences: { correctness: 0, completeness: 0 } },
  ]);
  const id = reports.body.data.reconciliations[0]?.reconciliationId ?? '';
  const { body } = await stack.api.get<{ data: { differences: object[] } }>(
    `/reconciliations/${id}?code=vault_not_compared`,
  );
  expect(body.data.differences).toMatchObject([{ vaultId: draft, kind: 'completeness', code: 'VAULT_NOT_COMPARED' }]);
  expect(await stack.api.get(`/reconciliations/${randomUUID()}`)).toMatchObject(
    errorResponse(404, 'RECONCILIATION_NOT_FOUND'),
  );
  await stack.sql.run`update entitlements set ft = ft - 1 where vault_id = ${vaultId} and position = 0`;
  await stack.sql.run`update vaults v set deleted_at = now(),
       vault_key_hash = (select k.vault_key_hash from vault_keys k where k.vault_id = v.id) where id = ${draft}`;
});

/** Runs the workflow of the Schedule now. */
const runSchedule = (stack: TestStack) =>
  withTemporal(stack, (client) =>
    client.workflow.execute('reconciliation', { taskQueue: 'vaults', workflowId: 'reconciliation-now' }),
  );

async function withTemporal(
  { temporal: { address, namespace } }: TestStack,
  act: (client: Client) => Promise<unknown>,
): Promise<void> {
  const connection = await Connection.connect({ address });
  await act(new Client({ connection, namespace }));
  await connection.close();
}

test('each planted difference is reported with its code, and nothing else is', async () => {
  const stack = stackOfFile();
  // The worker would fix some of them; without it the ledger is further than the books, which is no difference either.
  await stack.kill('worker');
  const rows = await stack.sql.run<{ address: string }>`select contract_address as address from vaults
      where id = ${vaultId}`;
  await fundWallet(stack, { ...ownerOfFile, address: rows[0]?.address ?? '' }, { ada: 9 });
  await expectReported(planted);
});

/** Fails unless each of these changes alone is reported with its codes. */
async function expectReported(changes: typeof planted): Promise<void> {
  const reported: object[] = [];
  for (const [name, change] of changes) reported.push([name, await codesAfter(change)]);
  expect(reported).toEqual(changes.map(([name, , codes]) => [name, codes]));
}

/** The codes with which a change of the books of the vault is reported. */
async function codesAfter(change: string): Promise<string[]> {
  const found = await differencesAfter(stackOfFile(), vaultId, change);
  return [...new Set(found.map(({ code }) => code))].sort();
}

test('what a later block has is no difference, and books of another history are not compared', async () => {
  const stack = stackOfFile();
  const stakeConfirmed = `(select block_height from chain_transactions where vault_id = :vault and kind = 'stake')`;
  const behind = `${changed('chain_transactions', `kind = 'stake'`, `state = 'submitted'`)};
    delete from blocks where height >= ${stakeConfirmed}`;
  expect(await differencesAfter(stack, vaultId, behind)).toEqual([]);
  const elsewhere = `update blocks set hash = '${hash('00')}' where height = (select max(height) from blocks)`;
  await expect(differencesAfter(stack, vaultId, elsewhere)).rejects.toThrow('another history');
});

test('the audit prints what the statement says and the ledger does not', async () => {
  const stack = stackOfFile();
  const set = (amount: string) =>
    stack.sql.query(
      `update chain_transactions set outputs = jsonb_set(outputs, '{0,lovelace}', to_jsonb($2::text))
        where vault_id = $1 and kind = 'liquidity' returning outputs`,
      [vaultId, amount],
    );
  const rows = await stack.sql.run<{ amount: string }>`select outputs -> 0 ->> 'lovelace' as amount
      from chain_transactions where vault_id = ${vaultId} and kind = 'liquidity'`;
  await set('1000001');
  const { code, stdout } = await audit(stack, vaultId);
  await set(rows[0]?.amount ?? '');
  expect(code).toBe(1);
  expect(stdout).toMatch(/movement \w{64} in \w+: the service says 1000001 lovelace, .* the ledger 30000000 lovelace/);
  expect(stdout).toMatch(/output \w{64}#0: the service says 1000001 lovelace/);
  expect(stdout).toMatch(/\n2 differences\n$/);
  expect(await audit(stack, vaultId)).toMatchObject({ code: 0 });
});

test('differences show while the claims of a vault run, the books agree after its end, and a theft with its key shows at once', async () => {
  const stack = stackOfFile();
  await stack.restart('worker');
  await advance(stack, 30 * DAY);
  await openedPot(stack, vaultId);
  await scanUnsolicited(stack);
  await claimShare(stack, vaultId, investorOfFile);
  await expectReported(plantedInPot);

  await advance(stack, 91 * DAY);
  const hasEnded = async () => (await readStatus(stack, vaultId))?.status === 'TERMINATED';
  await until(hasEnded, { what: 'the vault to be terminated' });
  expect(await audit(stack, vaultId)).toMatchObject({ code: 0, stdout: expect.stringMatching(/\n0 differences\n$/) });
  expect((await reconcile(stack)).stdout).toMatch(/^1 vaults, 0 differences/);
  await expectUnnoticed(await takeStakeBack(stack));

  const to = person(753).address;
  const taken = [
    await steal(stack, vaultId, { scriptOf: (vaultKeyHash) => claimsScript({ vaultKeyHash }), to }),
    await steal(stack, vaultId, { scriptOf: (vaultKeyHash) => custodyScript({ vaultKeyHash, cosigners: null }), to }),
  ];
  const unknown = async () => {
    const found = await differencesAfter(stack, vaultId, 'select 1');
    return found.flatMap(({ code, subject }) => (code === 'TRANSACTION_UNKNOWN' ? [subject] : []));
  };
  await until(async () => (await unknown()).length >= taken.length, { what: 'both thefts to be followed' });
  expect((await unknown()).toSorted()).toEqual(taken.toSorted());
  expect(await codesAfter('select 1')).toEqual([
    'ASSET_QUANTITY_DIFFERS',
    'FT_CIRCULATING_DIFFERS',
    'POT_DIFFERS',
    'TRANSACTION_UNKNOWN',
  ]);
  expect(await audit(stack, vaultId)).toMatchObject({ code: 1 });
});

/** Takes the owner's stake back without the service, whose scans do not run here; returns the hash. */
async function takeStakeBack(stack: TestStack): Promise<string> {
  await advance(stack, 365 * DAY);
  const rows = await stack.sql.run<{ id: string }>`select id from stakes where vault_id = ${vaultId}`;
  const { body } = await stack.api.get<{ data: { ownerScript: OwnerScript } }>(`/stakes/${rows[0]?.id}`);
  const hash = await leave(stack, body.data.ownerScript, ownerOfFile);
  const isFollowed = async () => (await audit(stack, vaultId)).stdout.includes(hash);
  await until(isFollowed, { what: 'the block with the stake to be followed' });
  return hash;
}

/** Fails unless what this transaction has taken shows, and is no difference yet. */
async function expectUnnoticed(hash: string): Promise<void> {
  const stack = stackOfFile();
  const audited = await audit(stack, vaultId);
  expect(audited).toMatchObject({ code: 0, stdout: expect.stringMatching(/\n0 differences\n$/) });
  expect(audited.stdout).toContain(`not listed yet: movement ${hash} out`);
  expect((await reconcile(stack)).stdout).toMatch(/^1 vaults, 0 differences/);
}
