import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { recordTransaction } from '../governance/record-transaction.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { claimClient, refusal } from './claim-client.ts';
import { changeState, countedPot, vaultWithPot } from './vault-with-pot.ts';

const ADA = 1_000_000n;

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** The deadline is over, and what nobody has claimed is paid. */
async function terminate(vaultId: string): Promise<void> {
  const { sql } = service;
  await sql.query(
    `update terminations set claim_deadline = now(), ended_because = 'claim_deadline', claims_ended_at = now(), pot_lovelace = 0
      where vault_id = $1`,
    [vaultId],
  );
  await sql.query(
    `update vaults set status = 'TERMINATED', termination_reason = failed_because, terminated_at = now(), claims_open = false
      where id = $1`,
    [vaultId],
  );
}

async function endedVault() {
  const [holder, heir] = [newWallet(), newWallet()];
  const holding = { address: holder.address, tokens: 10n };
  const { vaultId } = await vaultWithPot(service, [holding], { outputs: [10n * ADA], unclaimedTo: heir.address });
  return { vaultId, holder };
}

async function stateOf(vaultId: string) {
  const { rows } = await service.sql.query<{ status: string; open: boolean; ended: string | null; starts: number }>(
    `select status, claims_open as open, ended_because as ended,
        (select count(*)::int from workflow_notices where workflow_id = 'vault-' || vaults.id and message ->> 'again' = 'true') as starts
      from vaults join terminations on vault_id = id where id = $1`,
    [vaultId],
  );
  return rows[0];
}

const rollBack = (hash: string) => changeState(service, hash, { to: 'submitted', direction: 'rollback', block: null });

test('a claim that a rollback takes back for good after its vault was TERMINATED can be made again for a day', async () => {
  const { vaultId, holder } = await endedVault();
  const client = claimClient(service);
  const { transaction } = await client.paid(vaultId, holder, { amount: '0.000004' });
  await changeState(service, transaction.hash, { to: 'final' });
  await terminate(vaultId);
  expect(await client.ask(vaultId, holder)).toMatchObject(refusal('CLAIMS_CLOSED'));

  await rollBack(transaction.hash);
  expect(await stateOf(vaultId)).toMatchObject({ status: 'TERMINATED', ended: 'claim_deadline' });
  await service.sql.query('update terminations set pot_lovelace = 10000000 where vault_id = $1', [vaultId]);
  await changeState(service, transaction.hash, { to: 'expired', reason: 'a test' });
  expect(await stateOf(vaultId)).toEqual({ status: 'LOCKED', open: true, ended: null, starts: 1 });
  expect(await countedPot(service, vaultId)).toEqual({ lovelace: 10n * ADA, circulating: 10n });
  type VaultRead = { readonly data: { readonly allowedActions: readonly object[] } };
  const { body } = await service.api.get<VaultRead>(`/vaults/${vaultId}`);
  expect(body.data.allowedActions).toContainEqual({ action: 'claim', allowed: true, reason: null });
});

test('what was paid out after the claims and a rollback takes back for good is paid again, although the vault was TERMINATED', async () => {
  const { vaultId } = await endedVault();
  await terminate(vaultId);
  for (const [index, kind] of ['hand_over', 'pay_remainder', 'close_vault'].entries()) {
    await service.sql.query(
      `update vaults set status = 'TERMINATED', termination_reason = failed_because, terminated_at = now() where id = $1`,
      [vaultId],
    );
    const hash = `${index}${vaultId.replaceAll('-', '')}`.padEnd(64, '0');
    await recordTransaction(service, vaultId, hash, kind);
    await rollBack(hash);
    expect(await stateOf(vaultId)).toMatchObject({ status: 'TERMINATED', starts: index });
    await changeState(service, hash, { to: 'failed', reason: 'a test' });
    expect(await stateOf(vaultId)).toEqual({
      ...{ status: 'LOCKED', open: false, ended: 'claim_deadline', starts: index + 1 },
    });
  }
  expect(await countedPot(service, vaultId)).toMatchObject({ circulating: 10n });
  const { rows } = await service.sql.query(
    'select terminated_at, termination_reason, locked_at is not null as settled from vaults where id = $1',
    [vaultId],
  );
  expect(rows).toEqual([{ terminated_at: null, termination_reason: null, settled: true }]);
});
