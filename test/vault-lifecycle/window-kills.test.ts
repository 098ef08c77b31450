import { expect, test } from '@jest/globals';
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
  // A message dated tomorrow is not delivered yet, so the kill comes first.
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
  const { rows } = await sql.query<{ due: boolean; closed: boolean }>(
    `select clock_timestamp() + make_interval(secs => offset_ms / 1000.0) >= ends_at as due, status = 'COMPLETED' as closed
      from windows, clock_offset where vault_id = $1 and kind = any($2)`,
    [vaultId, kinds],
  );
  return moment === 'after its close' ? rows.some(({ closed }) => closed) : rows.every(({ due }) => due);
}

async function windowCloses({ sql }: TestStack, vaultId: string): Promise<string[]> {
  const { rows } = await sql.query<{ line: string }>(
    `select concat_ws(' ', data ->> 'window', data ->> 'from', data ->> 'to') as line from outbox
      where vault_id = $1 and type = 'WINDOW_STATUS_CHANGED' and data ->> 'from' = 'ACTIVE' order by line`,
    [vaultId],
  );
  return rows.map(({ line }) => line);
}
