import { expect, test } from '@jest/globals';
import { retryQuarantined } from '../../src/ledger-follower/retry-quarantined.ts';
import { isStakeRollbackInQuarantine } from '../../src/ledger-follower/queries/quarantine.ts';
import { vaultWithTokens } from '../governance/vault-with-tokens.ts';
import { submitDirectly } from '../vault-lifecycle/direct-submission.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { readTransaction, resubmit } from './double-spend.ts';
import { followerOf } from './follower-service.ts';

interface StakeResponse {
  readonly data: { readonly transaction: { readonly hash: string; readonly unsignedTx: string } };
}

interface Staker {
  readonly vaultId: string;
  readonly wallet: ReturnType<typeof newWallet>;
}

/** A vault and a wallet that holds its tokens. */
async function newStaker(service: ApiService): Promise<Staker> {
  const wallet = newWallet();
  return { wallet, vaultId: await vaultWithTokens(service, wallet) };
}

/** A stake that was sent to the ledger. */
async function sentStake(service: ApiService, { vaultId, wallet }: Staker) {
  const staking = { walletAddress: wallet.address, amount: 100 };
  const { body } = await service.api.post<StakeResponse>(`/vaults/${vaultId}/stakes`, staking);
  await submitDirectly(service, wallet, body.data.transaction.unsignedTx);
  return { vaultId, hash: body.data.transaction.hash };
}

test('a rollback undoes what it can beside a transaction that cannot be read, whose vault is held until that is undone, too', async () => {
  await using service = await apiService();
  const { api, sql, ledger, db } = service;
  const follower = followerOf(service);
  const alarms: { hash: string; error: string }[] = [];
  follower.context.onQuarantine = ({ hash }, _, error) => alarms.push({ hash, error: String(error) });
  const stakers = [await newStaker(service), await newStaker(service)] as const;
  const [bad, good] = [await sentStake(service, stakers[0]), await sentStake(service, stakers[1])];
  await follower.catchUp();
  const { height } = await ledger.mine();
  await follower.catchUp();
  await resubmit(service, 'blocks');
  const stateOf = async ({ hash }: typeof bad) =>
    (await sql.run<{ state: string }>`select state from chain_transactions where hash = ${hash}`)[0]?.state;
  const states = async () => [await stateOf(bad), await stateOf(good)];
  const holdsOf = async ({ vaultId }: typeof bad) =>
    (await api.get<{ data: { holds: object[] } }>(`/vaults/${vaultId}`)).body.data.holds;
  const eventsOf = async ({ vaultId }: typeof bad) => {
    const rows = await sql.run<{ type: string }>`select type from outbox
        where vault_id = ${vaultId} and type in ('STAKE_CONFIRMED', 'STAKE_ROLLED_BACK') order by seq`;
    return rows.map(({ type }) => type);
  };
  const writeInputs = (inputs: unknown) =>
    sql.query('update chain_transactions set inputs = $2 where hash = $1', [bad.hash, JSON.stringify(inputs)]);
  const rows = await sql.run<{ inputs: object }>`select inputs from chain_transactions where hash = ${bad.hash}`;
  expect(await states()).toEqual(['confirmed', 'confirmed']);

  await writeInputs([{ lovelace: 'none' }]);
  await ledger.rollbackFrom(height);
  expect(await follower.look()).toBe('rollback');
  expect(await states()).toEqual(['submitted', 'submitted']);
  expect(alarms).toEqual([{ hash: bad.hash, error: expect.stringMatching(/^UnreadableRow: row .* cannot be read/) }]);
  expect(await eventsOf(good)).toEqual(['STAKE_CONFIRMED', 'STAKE_ROLLED_BACK']);
  expect(await eventsOf(bad)).toEqual(['STAKE_CONFIRMED']);
  expect(await holdsOf(bad)).toMatchObject([{ reason: 'quarantined' }]);
  expect(await holdsOf(good)).toEqual([]);
  const mayCount = ({ vaultId }: typeof bad) =>
    db.transaction().execute(async (tx) => !(await isStakeRollbackInQuarantine(tx, vaultId)));
  expect([await mayCount(bad), await mayCount(good)]).toEqual([false, true]);

  // The next blocks are followed, and the other one is confirmed again.
  await expect(resubmit(service, 'rollback')).rejects.toThrow('BigInt');
  await ledger.mine(3);
  await follower.catchUp();
  expect(await states()).toEqual(['submitted', 'final']);
  const retry = () => retryQuarantined(follower.context, null);
  expect(await retry()).toEqual([
    { hash: bad.hash, error: expect.stringMatching(/^UnreadableRow: row .* cannot be read/) },
  ]);
  expect(await holdsOf(bad)).toMatchObject([{ reason: 'quarantined' }]);

  await writeInputs(rows[0]?.inputs);
  expect(await retry()).toEqual([{ hash: bad.hash, error: null }]);
  expect(await eventsOf(bad)).toEqual(['STAKE_CONFIRMED', 'STAKE_ROLLED_BACK']);
  expect(await holdsOf(bad)).toEqual([]);
  expect(await mayCount(bad)).toBe(true);
  await resubmit(service, 'rollback');
  await ledger.mine(3);
  await follower.catchUp();
  expect((await readTransaction(service, bad.hash)).history.map(({ status }) => status)).toEqual([
    'awaiting_signatures',
    'confirmed',
    'submitted',
    'confirmed',
    'final',
  ]);
});

test('what is confirmed again before its quarantined rollback was retried ends the hold of its vault', async () => {
  await using service = await apiService();
  const { sql, ledger } = service;
  const follower = followerOf(service);
  follower.context.onQuarantine = () => undefined;
  const { hash, vaultId } = await sentStake(service, await newStaker(service));
  await follower.catchUp();
  const { height } = await ledger.mine();
  await follower.catchUp();
  await resubmit(service, 'blocks');
  const rows = await sql.run<{ fee: string }>`select fee, inputs from chain_transactions where hash = ${hash}`;
  const writeInputs = (inputs: unknown) =>
    sql.query('update chain_transactions set inputs = $2 where hash = $1', [hash, JSON.stringify(inputs)]);
  await writeInputs([{ lovelace: 'none' }]);
  await ledger.rollbackFrom(height);
  expect(await follower.look()).toBe('rollback');

  await writeInputs((rows[0] as unknown as { inputs: unknown }).inputs);
  await resubmit(service, 'rollback');
  await ledger.mine();
  await follower.catchUp();
  const waiting = await sql.query(
    `select reason from holds where vault_id = $1 union all select error from quarantine`,
    [vaultId],
  );
  expect(waiting.rows).toEqual([]);
});

test('what was final before its quarantined rollback, and is final again, is as if nothing had happened', async () => {
  await using service = await apiService();
  const { sql, ledger } = service;
  const follower = followerOf(service);
  Object.assign(follower.context, { onQuarantine: () => undefined, maxRollback: 10 });
  const { hash, vaultId } = await sentStake(service, await newStaker(service));
  await follower.catchUp();
  const { height } = await ledger.mine();
  await follower.catchUp();
  await resubmit(service, 'blocks');
  await ledger.mine(3);
  await follower.catchUp();
  const eventsOf = async () => {
    const rows = await sql.run<{ type: string }>`select type from outbox
        where vault_id = ${vaultId} and type like 'STAKE_%' order by recorded`;
    return rows.map(({ type }) => type);
  };
  const before = await eventsOf();
  expect(before.slice(-2)).toEqual(['STAKE_CONFIRMED', 'STAKE_FINAL']);

  await sql.run`update chain_transactions set inputs = inputs || '[{"lovelace": "none"}]' where hash = ${hash}`;
  await ledger.rollbackFrom(height);
  expect(await follower.look()).toBe('rollback');
  await sql.run`update chain_transactions set inputs = inputs - -1 where hash = ${hash}`;
  await resubmit(service, 'rollback');
  await ledger.mine(3);
  await follower.catchUp();
  expect((await readTransaction(service, hash)).status).toBe('final');
  expect(await eventsOf()).toEqual(before);
  expect(await retryQuarantined(follower.context, null)).toEqual([]);
  expect((await sql.query('select from holds where vault_id = $1', [vaultId])).rowCount).toBe(0);
});
