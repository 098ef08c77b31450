import { expect, test } from '@jest/globals';
import { instant, secondsAfter } from '../../src/domain/units/instant.ts';
import { vaultParticipants } from '../../src/store/unsolicited-scan-targets.ts';
import { seedStakes } from '../governance/seed-stakes.ts';
import { person } from '../vault-lifecycle/participants.ts';
import { waitForVaultStatus, createVault } from '../vault-lifecycle/vault-requests.ts';
import { testStack } from '../stack/test-stack.ts';
import { apiService } from './api-service.ts';
import { addressesOf, listUnsolicited, scanUnsolicited, sendUnsolicited } from './unsolicited-scan.ts';
import { vaultBody } from './create-vault-body.ts';

test('a scan continues past a vault that it cannot scan, and its error names that vault', async () => {
  await using stack = await testStack();
  const owner = person(421);
  const [broken, whole] = [await createVault(stack, owner.address), await createVault(stack, owner.address)];
  for (const vaultId of [broken, whole]) await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const { custody } = await addressesOf(stack, whole, '00'.repeat(28));
  const gift = await sendUnsolicited(stack, custody);
  await stack.sql.query(`update vaults set contract_address = 'nowhere' where id = $1`, [broken]);

  const failure = await scanUnsolicited(stack).catch((error: unknown) => error);

  expect(failure).toHaveProperty('cause.cause.message', expect.stringContaining(`could not scan ${broken};`));
  expect(broken < whole).toBe(true);
  expect((await listUnsolicited(stack, whole)).map(({ txHash }) => txHash)).toEqual([gift]);
});

test('the address of a stake returned long ago is scanned only while an unsolicited output is listed there', async () => {
  await using service = await apiService();
  const { address } = await service.fundedWallet();
  const { body } = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(address));
  const now = instant(new Date());
  const wallets = ['held', 'just back', 'long back', 'long back with a gift', 'long back with a gift gone'];
  await seedStakes(
    service.sql,
    body.vault_id,
    wallets.map((wallet) => ({ wallet, tokens: 1 })),
    new Date(now),
  );
  await service.sql.query('update stakes set script_address = wallet');
  await service.sql.query(
    `update stakes set status = 'RELEASED', release_reason = 'unstaked',
      updated_at = case when wallet = 'just back' then $1::timestamptz else $2 end where wallet <> 'held'`,
    [new Date(secondsAfter(now, -86_400)), new Date(secondsAfter(now, -40 * 86_400))],
  );
  await service.sql.query(
    `insert into unsolicited_outputs (tx_hash, output_index, vault_id, place, address, lovelace, assets, seen_at, gone_at)
      select md5(wallet), 0, vault_id, 'stake', script_address, 1, '[]', $1,
        case when wallet like '%gone' then $1::timestamptz end
      from stakes where wallet like '%gift%'`,
    [new Date(secondsAfter(now, -35 * 86_400))],
  );

  const { stakeAddresses } = await vaultParticipants(service.db, body.vault_id, now);

  expect(stakeAddresses).toEqual(['held', 'just back', 'long back with a gift']);
});
