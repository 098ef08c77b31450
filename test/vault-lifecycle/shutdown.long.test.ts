import { expect, test } from '@jest/globals';
import { followedHeight } from '../stack/followed-height.ts';
import { testStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { countOnLedger } from './kill-worker.ts';
import { contribute, fundWallet, invest, person, waitForTransaction } from './participants.ts';
import { waitForVaultStatus, createVault } from './vault-requests.ts';

const GRACE_SECONDS = 3;

test('a worker that receives SIGTERM during its work exits in time, and the next worker loses and repeats nothing', async () => {
  await using stack = await testStack({ environment: { SHUTDOWN_GRACE_SECONDS: String(GRACE_SECONDS) } });
  const [owner, investor] = [person(131), person(132)];
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Quay: 1 } });
  await fundWallet(stack, investor, { ada: 1000 });
  const vaultId = await createVault(stack, owner.address);
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');

  // Calls of the ledger are slow and submissions are refused, so that the worker is certainly in the middle of one.
  await stack.ledger.faults({ delayMs: 1500, submit429: 1_000_000 });
  const { hash: asset } = await contribute(stack, vaultId, owner, { policyId, name: 'Quay' });
  const { hash: investment } = await invest(stack, vaultId, investor, 50_000_000);
  await until(
    async () => {
      const rows = await stack.sql.run`select 1 from chain_transactions
          where hash = ${investment} and state = 'pending'`;
      return rows.length === 1;
    },
    { what: 'the investment to be on its way' },
  );
  // The supervisor kills a worker that exceeds its grace period, after 15 s.
  expect(await stack.kill('worker', 'SIGTERM')).toBe('exit code 0');

  await stack.ledger.faults({});
  await stack.restart('worker');
  for (const hash of [asset, investment]) await waitForTransaction(stack, hash, ['final']);
  expect([...(await countOnLedger(stack, vaultId)).values()]).toEqual([1, 1, 1]);
});

test('a worker that only follows the ledger exits when it receives SIGTERM, not when its grace period is over', async () => {
  await using stack = await testStack({
    services: ['worker'],
    environment: { SHUTDOWN_GRACE_SECONDS: '600', LEDGER_BLOCK_MS: '20000' },
  });
  await until(() => followedHeight(stack), { what: 'the follower to have read a block' });

  // The supervisor kills a worker that waits for the end of its grace period.
  expect(await stack.kill('worker', 'SIGTERM')).toBe('exit code 0');

  await stack.restart('worker');
  const { height } = await stack.ledger.query<{ height: number }>('/blocks/latest').then((tip) => tip ?? { height: 0 });
  await until(async () => (await followedHeight(stack)) > height, { what: 'the next worker to follow the ledger' });
});
