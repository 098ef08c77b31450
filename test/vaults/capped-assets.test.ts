import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { planSettlement } from '../../src/settlement/plan-settlement.ts';
import { createUnitOfWork, offsetClock } from '../../src/platform/database/unit-of-work.ts';
import { recordTransaction } from '../governance/record-transaction.ts';
import { recordHeldAsset } from '../governance/vault-with-custody.ts';
import { type ApiService, apiService, newWallet } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';

const ADA = 1_000_000;
const ids = createIds({ clock: wallClock, random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) });

/** Records an asset of its own policy with this value in the vault. */
async function recordAsset(service: ApiService, vaultId: string, policy: string, ada: number) {
  const policyId = policy.repeat(56);
  await recordHeldAsset(service, vaultId, { policy_id: policyId, asset_name: 'Villa' });
  await service.sql.query('update assets set price = $1, counted_price = $1 where policy_id = $2', [
    ada * ADA,
    policyId,
  ]);
}

async function recordInvestment({ sql }: ApiService, vaultId: string, ada: number) {
  await sql.run`insert into investments (id, vault_id, wallet, lovelace, delivery_deposit, status, transaction_id,
     created_at, updated_at)
     select ${randomUUID()}, ${vaultId}, 'investor', ${ada * ADA}, 0, 'CONFIRMED', (select id from chain_transactions limit 1), now(), now()`;
}

test('an asset whose policy is too large a share of the vault is in no quote, and goes back when the vault settles', async () => {
  await using service = await apiService();
  const body = vaultBody(newWallet().address);
  const made = await service.api.post<{ vault_id: string }>('/vaults', {
    ...body,
    asset_settings: { ...body.asset_settings, floor_price_percentage: 100, max_share: 50 },
  });
  const vaultId = made.body.vault_id;
  await recordTransaction(service, vaultId, '00'.repeat(32), 'add_asset');
  for (const [policy, ada] of [
    ['a', 1000],
    ['b', 125],
    ['c', 100],
  ] as const)
    await recordAsset(service, vaultId, policy, ada);
  await recordInvestment(service, vaultId, 50);

  // `b` is lowered to the value of `c`; the reserve is 20 % of the half of 225 ADA that investors buy.
  const quote = await service.api.get(`/vaults/${vaultId}/quote?lovelace=${50 * ADA}`);
  expect(quote.body).toMatchObject({
    data: { settles: true, figures: { value: String(200 * ADA), reserveRequired: String(22.5 * ADA) } },
  });
  const unitOfWork = createUnitOfWork(service.db, offsetClock(wallClock), ids);
  const now = instant(wallClock.now());
  const outcome = await planSettlement({ unitOfWork, lpMinimum: lovelace(2_000_000n) }, { vaultId, now });

  expect(outcome).toBeNull();
  const rows = await service.sql.run<object>`select left(policy_id, 1) as policy, return_reason as reason,
      counted_value as value from assets order by policy_id`;
  expect(rows).toEqual([
    { policy: 'a', reason: 'share_of_value_capped', value: null },
    { policy: 'b', reason: null, value: String(100 * ADA) },
    { policy: 'c', reason: null, value: String(100 * ADA) },
  ]);
  const read = await service.api.get(`/vaults/${vaultId}`);
  expect(read.body).toMatchObject({
    data: { settlement: { returned: [{ depositKind: 'asset', reason: 'share_of_value_capped' }] } },
  });
});
