import { expect, test } from '@jest/globals';
import { startLedger } from '../../embedded/ledger/server.ts';
import { runCommand } from '../../src/operations/commands/commands.ts';
import { submitDirectly } from '../vault-lifecycle/direct-submission.ts';
import { vaultWithTokens } from '../governance/vault-with-tokens.ts';
import { followedHeight } from '../stack/followed-height.ts';
import { ledgerClient } from '../stack/ledger-client.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { CONFIRMATION_DEPTH, followerOf } from './follower-service.ts';

interface StakeResponse {
  readonly data: { readonly transaction: { readonly hash: string; readonly unsignedTx: string } };
}

/** A stake whose transaction is final, with enough blocks before it for a deep fork. */
async function finalStake(service: ApiService, follower: ReturnType<typeof followerOf>) {
  const wallet = newWallet();
  const vaultId = await vaultWithTokens(service, wallet);
  await follower.catchUp();
  await service.ledger.mine(2 * CONFIRMATION_DEPTH);
  const staking = { walletAddress: wallet.address, amount: 100 };
  const { body } = await service.api.post<StakeResponse>(`/vaults/${vaultId}/stakes`, staking);
  const { hash, unsignedTx: unsigned } = body.data.transaction;
  await submitDirectly(service, wallet, unsigned);
  const { height } = await service.ledger.mine(1);
  await service.ledger.mine(CONFIRMATION_DEPTH - 1);
  await follower.catchUp();
  expect(await stateOf(service, hash)).toBe('final');
  const submit = () => submitDirectly(service, wallet, unsigned);
  return { hash, height, submit };
}

async function stateOf({ sql }: ApiService, hash: string): Promise<string | undefined> {
  const rows = await sql.run<{ state: string }>`select state from chain_transactions where hash = ${hash}`;
  return rows[0]?.state;
}

test('a reorganisation deeper than finality holds the follower once, and an operator lets it roll back and continue', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  const ops = (...command: string[]) => runCommand(follower.context, command);
  const { hash, height, submit } = await finalStake(service, follower);
  const tip = await followedHeight(service);
  expect(await ops('ledger', 'accept')).toMatchObject({ ok: false });

  await service.ledger.rollbackFrom(height);
  for (const news of ['held', 'held']) expect(await follower.look()).toBe(news);
  expect(follower.alarms).toEqual([{ tipHeight: tip, forkHeight: height - 1 }]);
  expect([await stateOf(service, hash), await followedHeight(service)]).toEqual(['final', tip]);
  const status = await ops('ledger', 'status');
  expect(status.output).toContain(`The ledger has other blocks after block ${height - 1}`);
  expect(await ops('ledger', 'accept', String(height + 1))).toMatchObject({ ok: false });

  expect(await ops('ledger', 'accept')).toEqual({
    ok: true,
    output: `Accepted the ledger's history from block ${height}. The worker reads it now.`,
  });
  expect(await follower.look()).toBe('rollback');
  expect([await stateOf(service, hash), await followedHeight(service)]).toEqual(['submitted', height - 1]);
  await submit();
  const { height: confirmed } = await service.ledger.mine(CONFIRMATION_DEPTH);
  await follower.catchUp();
  expect([await stateOf(service, hash), await followedHeight(service)]).toEqual(['final', confirmed]);
  expect((await ops('ledger', 'status')).output).not.toContain('other blocks');
});

test('a history that has changed since an operator accepted it is not taken over', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  const ops = (...command: string[]) => runCommand(follower.context, command);
  const { hash, height } = await finalStake(service, follower);
  const tip = await followedHeight(service);
  await service.ledger.rollbackFrom(height);
  expect(await follower.look()).toBe('held');
  expect(await ops('ledger', 'accept')).toMatchObject({ ok: true });

  await service.ledger.rollbackFrom(height - 2);
  for (const news of ['held', 'held']) expect(await follower.look()).toBe(news);
  expect(follower.alarms).toEqual([height - 1, height - 3].map((forkHeight) => ({ tipHeight: tip, forkHeight })));
  expect([await stateOf(service, hash), await followedHeight(service)]).toEqual(['final', tip]);
  expect(await ops('ledger', 'accept')).toMatchObject({ output: expect.stringContaining(`from block ${height - 2}`) });
  expect(await follower.look()).toBe('rollback');
  expect([await stateOf(service, hash), await followedHeight(service)]).toEqual(['submitted', height - 3]);
});

test('a hold ends by itself when the ledger has the followed blocks again, also one that an operator has accepted', async () => {
  await using service = await apiService();
  await using wrong = await startLedger({ blockMs: 0, fundings: [] });
  const follower = followerOf(service);
  const { hash } = await finalStake(service, follower);
  const misled = followerOf({ db: service.db, ledger: ledgerClient(wrong.url) });
  for (const blocks of [1, 100]) {
    await misled.look().catch(() => undefined);
    await ledgerClient(wrong.url).mine(blocks);
  }
  expect(await misled.look()).toBe('held');
  expect(await runCommand(misled.context, ['ledger', 'accept', '0'])).toMatchObject({ ok: true });

  expect(await follower.look()).toBe('nothing');
  expect(await service.sql.run`select 1 from ledger_hold`).toEqual([]);
  expect(await stateOf(service, hash)).toBe('final');
});

test('a reset ledger holds the follower, and an operator lets it read the new one from its start', async () => {
  await using service = await apiService();
  await using reset = await startLedger({ blockMs: 0, fundings: [] });
  const follower = followerOf(service);
  const { hash } = await finalStake(service, follower);
  const newLedger = ledgerClient(reset.url);
  const { height } = await newLedger.mine(2);
  expect(height).toBeLessThan(await followedHeight(service));
  const onNewLedger = followerOf({ db: service.db, ledger: newLedger });
  const ops = (...command: string[]) => runCommand(onNewLedger.context, command);

  for (const news of ['held', 'held']) expect(await onNewLedger.look()).toBe(news);
  expect(onNewLedger.alarms).toEqual([{ tipHeight: await followedHeight(service), forkHeight: null }]);
  expect(await ops('ledger', 'accept')).toMatchObject({ ok: false });
  expect(await ops('ledger', 'accept', '0')).toMatchObject({ ok: true });
  expect(await onNewLedger.look()).toBe('rollback');
  await onNewLedger.catchUp();
  expect([await stateOf(service, hash), await followedHeight(service)]).toEqual(['submitted', height]);
});

test('a backend that lags behind is no other history', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  await finalStake(service, follower);
  await service.sql.run`insert into blocks (height, hash, slot, made_at)
      select height + 1, 'newer', slot, made_at from blocks order by height desc limit 1`;
  await expect(follower.look()).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  expect(await service.sql.run`select 1 from ledger_hold`).toEqual([]);
});
