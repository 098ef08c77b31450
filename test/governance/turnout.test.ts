import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { lockedVault, propose, voteBody } from './staked-vault.ts';

const DAY = 86_400;

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** Stores a plan that gives 200,000 tokens to the liquidity address, and 300,000 to a deposit that its owner reclaimed. */
async function settleWithKeptTokens(vaultId: string, wallet: string): Promise<void> {
  const { sql } = service;
  await sql.query(
    `insert into settlements (vault_id, distribution, planned_at)
     values ($1, '{"value":"1","invested":"1","lpLovelace":"0","lpFt":"200000000000"}', now())`,
    [vaultId],
  );
  const { rows } = await sql.query<{ id: string }>(
    `insert into investments (id, vault_id, wallet, lovelace, delivery_deposit, status, release_reason, transaction_id,
       created_at, updated_at)
     select gen_random_uuid(), $1, $2, 5000000, 0, 'REFUNDED', 'reclaimed', id, now(), now() from chain_transactions
       where vault_id = $1 limit 1 returning id`,
    [vaultId, wallet],
  );
  await sql.query(
    `insert into entitlements (vault_id, deposit_id, deposit_kind, wallet, position, ft, lovelace)
     values ($1, $2, 'investment', $3, 0, 300000000000, 0)`,
    [vaultId, rows[0]?.id, wallet],
  );
}

/** The proposal after its vote has ended with this approval of the proposer. */
async function voteAlone(vaultId: string, proposer: string, tokens: number): Promise<object> {
  const id = await propose(service, vaultId, proposer);
  expect(await service.api.post(`/proposals/${id}/votes`, voteBody(proposer, tokens, 'yes'))).toMatchObject({
    status: 200,
  });
  await service.advance(3 * DAY + 60);
  return (await service.api.get<{ data: object }>(`/proposals/${id}`)).body.data;
}

test('the only wallet that has staked cannot decide alone with less than a tenth of the tokens in circulation', async () => {
  const { vaultId, proposer } = await lockedVault(service, [100_000]);
  expect(await voteAlone(vaultId, proposer, 99_999)).toMatchObject({
    status: 'FAILED',
    failureReason: 'quorum_not_reached',
    eligiblePowerBaseUnits: '100000000000',
    circulatingBaseUnits: '1000000000000',
    thresholds: { vote: { required: 30, actual: 99.99 }, turnout: { required: 10, actual: 9.99 } },
  });
  expect(await voteAlone(vaultId, proposer, 100_000)).toMatchObject({
    status: 'PASSED',
    thresholds: { turnout: { required: 10, actual: 10 } },
  });
});

test('tokens at the liquidity address and in custody do not vote, so they do not raise the turnout that is required', async () => {
  const { vaultId, proposer } = await lockedVault(service, [60_000]);
  await settleWithKeptTokens(vaultId, proposer);
  expect(await voteAlone(vaultId, proposer, 49_999)).toMatchObject({
    failureReason: 'quorum_not_reached',
    circulatingBaseUnits: '500000000000',
  });
  expect(await voteAlone(vaultId, proposer, 50_000)).toMatchObject({ status: 'PASSED' });
});
