import { expect, test } from '@jest/globals';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { countOnLedger } from './kill-worker.ts';
import { contribute, fundWallet, holdings, invest, person, waitForTransaction } from './participants.ts';
import { advance, waitForVaultStatus, createVault, readVault } from './vault-requests.ts';

const DAY = 86_400;
/** Where in the closing of a window the worker is killed: its time has come, or Postgres has it and Temporal may not. */
type Moment = 'when its time has come' | 'when it is closed';
type Kind = 'asset' | 'investment';

test('a worker killed at each end of a window: every window closes once and the vaults settle', async () => {
  await using stack = await testStack();
  const [owner, investor] = [person(51), person(52)];
  const apart = await createVault(stack, owner.address, {
    asset: { asset_window_duration: '03:00:00' },
    investment: { investment_window_duration: '120h' },
  });
  const together = await createVault(stack, owner.address);
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Tower: 1, Bridge: 1 } });
  await fundWallet(stack, investor, { ada: 2000 });
  await stack.ledger.setPrice({ policyId, lovelace: '500000000' });
  for (const [vaultId, name] of [
    [apart, 'Tower'],
    [together, 'Bridge'],
  ] as const) {
    const asset = await contribute(stack, vaultId, owner, { policyId, name });
    const investment = await invest(stack, vaultId, investor, 300_000_000);
    for (const { hash } of [asset, investment]) await waitForTransaction(stack, hash, ['confirmed', 'final']);
  }

  await advanceAndKill(stack, 3 * DAY, apart, ['asset'], 'when its time has come');
  expect((await readVault(stack, apart)).assetWindow.status).toBe('COMPLETED');
  await advanceAndKill(stack, 2 * DAY, apart, ['investment'], 'when it is closed');
  await waitForVaultStatus(stack, apart, 'LOCKED');
  await advanceAndKill(stack, 2 * DAY, together, ['asset', 'investment'], 'when its time has come');
  await waitForVaultStatus(stack, together, 'LOCKED');

  for (const vaultId of [apart, together]) {
    expect(await closings(stack, vaultId)).toEqual(['asset ACTIVE COMPLETED', 'investment ACTIVE COMPLETED']);
    const times = [...(await countOnLedger(stack, vaultId)).values()];
    expect(times.length).toBeGreaterThanOrEqual(6);
    expect(new Set(times)).toEqual(new Set([1]));
    const { fractionalization: ft } = await readVault(stack, vaultId);
    const held = await Promise.all([owner, investor].map(({ address }) => holdings(stack, address)));
    // Of a million tokens 5 % are liquidity, which the vault keeps.
    expect(held.map((units) => units.get(ft.tokenAddress))).toEqual([475_000_000_000n, 475_000_000_000n]);
  }
});

test('an api killed between its commit and the start of the workflow: the vault begins all the same', async () => {
  await using stack = await testStack();
  // Nobody delivers a notice that is not of today yet, so the kill comes first.
  await stack.sql.query(
    `alter table workflow_notices alter created_at set default clock_timestamp() + interval '1 day'`,
  );
  const vaultId = await createVault(stack, person(53).address);
  await stack.kill('api');
  const { rows } = await stack.sql.query<{ sent: boolean }>(
    `select sent_at is not null as sent from workflow_notices where workflow_id = $1`,
    [`vault-${vaultId}`],
  );
  expect(rows).toEqual([{ sent: false }]);
  await stack.sql.query('alter table workflow_notices alter created_at set default clock_timestamp()');
  await stack.sql.query('update workflow_notices set created_at = clock_timestamp()');

  await until(
    async () => {
      const vaults = await stack.sql.query<{ status: string }>('select status from vaults where id = $1', [vaultId]);
      return vaults.rows[0]?.status === 'ACTIVE';
    },
    { what: 'the vault to be ACTIVE without an api' },
  );
  expect([...(await countOnLedger(stack, vaultId)).values()]).toEqual([1]);
});

/** Moves time to where windows end, and kills the worker there. */
async function advanceAndKill(
  stack: TestStack,
  seconds: number,
  vaultId: string,
  kinds: readonly Kind[],
  moment: Moment,
): Promise<void> {
  const moving = advance(stack, seconds);
  await until(() => isAt(stack, vaultId, kinds, moment), {
    what: `the end of a window, ${moment}`,
  });
  await stack.kill('worker');
  await stack.restart('worker');
  await moving;
}

async function isAt({ sql }: TestStack, vaultId: string, kinds: readonly Kind[], moment: Moment): Promise<boolean> {
  const { rows } = await sql.query<{ due: boolean; closed: boolean }>(
    `select clock_timestamp() + make_interval(secs => offset_ms / 1000.0) >= ends_at as due, status = 'COMPLETED' as closed
      from windows, clock_offset where vault_id = $1 and kind = any($2)`,
    [vaultId, kinds],
  );
  return moment === 'when it is closed' ? rows.some(({ closed }) => closed) : rows.every(({ due }) => due);
}

async function closings({ sql }: TestStack, vaultId: string): Promise<string[]> {
  const { rows } = await sql.query<{ line: string }>(
    `select concat_ws(' ', data ->> 'window', data ->> 'from', data ->> 'to') as line from outbox
      where vault_id = $1 and type = 'WINDOW_STATUS_CHANGED' and data ->> 'from' = 'ACTIVE' order by line`,
    [vaultId],
  );
  return rows.map(({ line }) => line);
}
