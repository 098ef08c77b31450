import { expect, test } from '@jest/globals';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { contribute, fundWallet, holdings, invest, person, waitForTransaction } from './participants.ts';
import { reclaimDeposit } from './reclaim-outputs.ts';
import { advance, advanceToBefore, waitForVaultStatus, createVault, readVault } from './vault-requests.ts';

test('a vault held until its settlement deadline refunds every deposit except one that its owner reclaimed', async () => {
  await using stack = await testStack();
  const [owner, other, investor] = [person(61), person(62), person(63)];
  const vaultId = await createVault(stack, owner.address);
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Orchard: 1 } });
  await fundWallet(stack, other, { ada: 100, assets: { Meadow: 1 } });
  await fundWallet(stack, investor, { ada: 500 });
  await stack.ledger.setPrice({ policyId, lovelace: '100000000', asOf: new Date().toISOString() });
  const deposits = [
    await contribute(stack, vaultId, owner, { policyId, name: 'Orchard' }),
    await contribute(stack, vaultId, other, { policyId, name: 'Meadow' }),
    await invest(stack, vaultId, investor, 300_000_000),
  ];
  for (const { hash } of deposits) await waitForTransaction(stack, hash, ['final']);
  await advanceToBefore(stack, 1800, await settlesBy(stack, vaultId));
  expect((await readVault(stack, vaultId)).holds).toMatchObject([{ reason: 'stale_price' }]);

  // T has passed on the clock of the ledger only.
  const { offsetMs } = await stack.ledger.clock();
  await stack.ledger.setClock(offsetMs + 3_600_000);
  const hash = await reclaimDeposit(stack, vaultId, owner);
  await until(async () => isDeep(stack, hash), { what: 'the spend of the owner to be final' });
  await advance(stack, 60);
  const vault = await waitForVaultStatus(stack, vaultId, 'TERMINATED');

  expect(vault).toMatchObject({ termination: { reason: 'settlement_deadline' }, holds: [] });
  const { rows: assets } = await stack.sql.query<{ status: string; reason: string }>(
    'select status, release_reason as reason from assets where vault_id = $1 order by added_at',
    [vaultId],
  );
  expect(assets).toEqual([
    { status: 'RELEASED', reason: 'reclaimed' },
    { status: 'RELEASED', reason: 'refunded' },
  ]);
  const { body } = await stack.api.get<{ data: { investments: unknown[] } }>(`/vaults/${vaultId}/investments`);
  expect(body.data.investments).toMatchObject([{ status: 'REFUNDED', releaseReason: 'refunded' }]);
  const { rows: events } = await stack.sql.query(
    `select actor, transaction_hash as hash from outbox where vault_id = $1 and type = 'DEPOSIT_RECLAIMED'`,
    [vaultId],
  );
  expect(events).toEqual([{ actor: owner.address, hash }]);
  const unit = (name: string) => policyId + Buffer.from(name).toString('hex');
  expect((await holdings(stack, owner.address)).get(unit('Orchard'))).toBe(1n);
  expect((await holdings(stack, other.address)).get(unit('Meadow'))).toBe(1n);
});

async function settlesBy({ sql }: TestStack, vaultId: string): Promise<Date> {
  const { rows } = await sql.query<{ at: Date }>('select settles_by as at from vaults where id = $1', [vaultId]);
  return rows[0]?.at ?? new Date(NaN);
}

async function isDeep({ ledger }: TestStack, hash: string): Promise<boolean> {
  const spend = await ledger.query<{ block_height: number }>(`/txs/${hash}`);
  const tip = await ledger.query<{ height: number }>('/blocks/latest');
  return spend !== null && (tip?.height ?? 0) >= spend.block_height + 3;
}
