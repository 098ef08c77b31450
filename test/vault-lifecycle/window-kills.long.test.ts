import { expect, test } from '@jest/globals';
import { followByStream, followBySocket, untilFollowedOn } from '../events/follow-across.ts';
import { numbersOf } from '../events/record-events.ts';
import { apiClient } from '../stack/api-client.ts';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { countOnLedger } from './kill-worker.ts';
import { contribute, fundWallet, holdings, invest, person, waitForTransaction } from './participants.ts';
import { advance, waitForVaultStatus, createVault, readVault } from './vault-requests.ts';

const DAY = 86_400;
/** When the worker is killed: at the end of a window, or once Postgres has recorded the close and Temporal may not. */
type Moment = 'at its end' | 'after its close';
type Kind = 'asset' | 'investment';

const stackOfFile = fileStack({ apiProcess: true });

test('every window closes once and the vaults settle although the worker is killed at each close', async () => {
  const stack = stackOfFile();
  const [owner, investor] = [person(51), person(52)];
  const separate = await createVault(stack, owner.address, {
    asset: { asset_window_duration: '03:00:00' },
    investment: { investment_window_duration: '120h' },
  });
  const joint = await createVault(stack, owner.address);
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Tower: 1, Bridge: 1 } });
  await fundWallet(stack, investor, { ada: 2000 });
  await stack.ledger.setPrice({ policyId, lovelace: '500000000' });
  for (const [vaultId, name] of [
    [separate, 'Tower'],
    [joint, 'Bridge'],
  ] as const) {
    const asset = await contribute(stack, vaultId, owner, { policyId, name });
    const investment = await invest(stack, vaultId, investor, 300_000_000);
    for (const { hash } of [asset, investment]) await waitForTransaction(stack, hash, ['confirmed', 'final']);
  }

  await advanceAndKill(stack, 3 * DAY, separate, ['asset'], 'at its end');
  expect((await readVault(stack, separate)).assetWindow.status).toBe('COMPLETED');
  await advanceAndKill(stack, 2 * DAY, separate, ['investment'], 'after its close');
  await waitForVaultStatus(stack, separate, 'LOCKED');
  await advanceAndKill(stack, 2 * DAY, joint, ['asset', 'investment'], 'at its end');
  await waitForVaultStatus(stack, joint, 'LOCKED');

  for (const vaultId of [separate, joint]) {
    expect(await windowCloses(stack, vaultId)).toEqual(['asset ACTIVE COMPLETED', 'investment ACTIVE COMPLETED']);
    const times = [...(await countOnLedger(stack, vaultId)).values()];
    expect(times.length).toBeGreaterThanOrEqual(6);
    expect(new Set(times)).toEqual(new Set([1]));
    const { fractionalization: ft } = await readVault(stack, vaultId);
    const held = await Promise.all([owner, investor].map(({ address }) => holdings(stack, address)));
    // Of a million tokens 5 % are liquidity, which the vault keeps.
    expect(held.map((units) => units.get(ft.tokenAddress))).toEqual([475_000_000_000n, 475_000_000_000n]);
  }
});

test('a vault starts although the api is killed between its commit and the start of the workflow', async () => {
  const stack = stackOfFile();
  // The relay leaves a message that is dated up to a minute ahead, so the kill comes first.
  await stack.sql.run`alter table workflow_notices alter created_at
      set default clock_timestamp() + interval '55 seconds'`;
  const vaultId = await createVault(stack, person(53).address);
  await stack.kill('api');
  const rows = await stack.sql.run<{ sent: boolean }>`select sent_at is not null as sent from workflow_notices
      where workflow_id = ${`vault-${vaultId}`}`;
  expect(rows).toEqual([{ sent: false }]);
  await stack.sql.run`alter table workflow_notices alter created_at set default clock_timestamp()`;
  await stack.sql.run`update workflow_notices set created_at = clock_timestamp()`;

  await until(
    async () => {
      const vaults = await stack.sql.query<{ status: string }>('select status from vaults where id = $1', [vaultId]);
      return vaults.rows[0]?.status === 'ACTIVE';
    },
    { what: 'the vault to be ACTIVE without an api' },
  );
  expect([...(await countOnLedger(stack, vaultId)).values()]).toEqual([1]);
});

test('followers get each event once although each of two apis is killed during the life of a vault', async () => {
  const stack = stackOfFile();
  for (const service of ['api', 'second-api'] as const) await stack.restart(service);
  const urls = [stack.apiUrl('api'), stack.apiUrl('second-api')];
  const [owner, investor] = [person(54), person(55)];
  const vaultId = await createVault(stack, owner.address);
  const bySocket = followBySocket(urls, stack.adminKey);
  const byStream = followByStream(urls.toReversed(), stack.adminKey, vaultId);
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Lantern: 1 } });
  await fundWallet(stack, investor, { ada: 2000 });
  await stack.ledger.setPrice({ policyId, lovelace: '500000000' });
  await until(() => bySocket.begun() + byStream.begun() === 2, { what: 'both to follow' });

  const given = await contribute(stack, vaultId, owner, { policyId, name: 'Lantern' });
  await untilFollowedOn([bySocket], () => stack.kill('api'));
  await stack.restart('api');
  const invested = await invest(stack, vaultId, investor, 300_000_000);
  await untilFollowedOn([bySocket, byStream], () => stack.kill('second-api'));
  await stack.restart('second-api');
  for (const { hash } of [given, invested]) await waitForTransaction(stack, hash, ['confirmed', 'final']);
  const second = apiClient(() => stack.apiUrl('second-api'), stack.adminKey);
  const moving = second.post('/dev/clock/advance', { seconds: 7 * DAY });
  await until(() => hasReached(stack, vaultId, ['asset'], 'after its close'), { what: 'the window to close' });
  await untilFollowedOn([bySocket, byStream], () => stack.kill('api'));
  expect(await moving).toMatchObject({ status: 200 });
  await stack.restart('api');
  await waitForVaultStatus(stack, vaultId, 'LOCKED');

  const ofVault = await numbersOf(stack, vaultId);
  await until(() => byStream.seqs().length >= ofVault.length, { what: 'the stream to have every event' });
  await until(() => bySocket.seqs().length >= ofVault.at(-1)!, { what: 'the socket to have every event' });
  await Promise.all([bySocket, byStream].map((follower) => follower.stop()));
  expect(byStream.seqs().slice(0, ofVault.length)).toEqual(ofVault);
  expect(bySocket.seqs()).toEqual(bySocket.seqs().map((_, position) => position + 1));
});

/** Advances the clock past the end of these windows and kills the worker at this moment. */
async function advanceAndKill(
  stack: TestStack,
  seconds: number,
  vaultId: string,
  kinds: readonly Kind[],
  moment: Moment,
): Promise<void> {
  const moving = advance(stack, seconds);
  await until(() => hasReached(stack, vaultId, kinds, moment), {
    what: `the end of a window, ${moment}`,
  });
  await stack.kill('worker');
  await stack.restart('worker');
  await moving;
}

async function hasReached(
  { sql }: TestStack,
  vaultId: string,
  kinds: readonly Kind[],
  moment: Moment,
): Promise<boolean> {
  const rows = await sql.run<{ due: boolean; closed: boolean }>`
      select clock_timestamp() + make_interval(secs => offset_ms / 1000.0) >= ends_at as due,
      status = 'COMPLETED' as closed
      from windows, clock_offset where vault_id = ${vaultId} and kind = any(${kinds})`;
  return moment === 'after its close' ? rows.some(({ closed }) => closed) : rows.every(({ due }) => due);
}

async function windowCloses({ sql }: TestStack, vaultId: string): Promise<string[]> {
  const rows = await sql.run<{ line: string }>`select concat_ws(' ', data ->> 'window', data ->> 'from',
      data ->> 'to') as line from outbox
      where vault_id = ${vaultId} and type = 'WINDOW_STATUS_CHANGED' and data ->> 'from' = 'ACTIVE' order by line`;
  return rows.map(({ line }) => line);
}
