import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { lockedVault, propose, voteBody } from './staked-vault.ts';
import { recordHeldAsset } from './vault-with-custody.ts';
import { errorResponse } from '../stack/error-response.ts';

const DAY = 86_400;

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** Stores a plan that gives 200,000 tokens to the liquidity address, and 300,000 to a deposit that its owner reclaimed. */
async function settleWithKeptTokens(vaultId: string, wallet: string): Promise<void> {
  const { sql } = service;
  await sql.run`insert into settlements (vault_id, distribution, planned_at)
     values (${vaultId}, '{"value":"1","invested":"1","lpLovelace":"0","lpFt":"200000000000"}', now())`;
  const { rows } = await sql.query<{ id: string }>(
    `insert into investments (id, vault_id, wallet, lovelace, delivery_deposit, status, release_reason, transaction_id,
       created_at, updated_at)
     select gen_random_uuid(), $1, $2, 5000000, 0, 'REFUNDED', 'reclaimed', id, now(), now() from chain_transactions
       where vault_id = $1 limit 1 returning id`,
    [vaultId, wallet],
  );
  await sql.run`insert into entitlements (vault_id, deposit_id, deposit_kind, wallet, position, ft, lovelace)
     values (${vaultId}, ${rows[0]?.id}, 'investment', ${wallet}, 0, 300000000000, 0)`;
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

/** Lets the holders of a vault claim that ends, with so many tokens that nobody has returned. */
async function openClaims(vaultId: string, tokens: number): Promise<void> {
  const { sql } = service;
  await sql.run`update vaults set failed_because = 'liquidated' where id = ${vaultId}`;
  await sql.run`insert into terminations (vault_id, decided_at, claim_seconds, float_lovelace, pot_lovelace,
       circulating,
       claims_opened_at, claim_deadline)
     values (${vaultId}, now(), 7776000, 0, 0, ${tokens}::numeric * 1000000, now(), now() + interval '90 days')`;
  await sql.run`update vaults set claims_open = true where id = ${vaultId}`;
}

test('while holders claim, those who are left can sell what the vault still has: shares are of what circulates', async () => {
  const { vaultId, proposer, voters } = await lockedVault(service, [60, 10, 9]);
  const rows = await service.sql.run<{ policy_id: string }>`select policy_id from vaults where id = ${vaultId}`;
  const villa = { policy_id: `${rows[0]?.policy_id.slice(2)}ff`, asset_name: 'Villa' };
  await recordHeldAsset(service, vaultId, villa);
  const sell = () =>
    service.api.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, {
      proposer,
      proposal_details: { title: 'Sell', description: '', action_type: 'sell_asset', affected_assets: [villa] },
    });
  expect(await sell()).toMatchObject(errorResponse(400, 'CREATION_THRESHOLD_NOT_MET'));
  await openClaims(vaultId, 100);
  const { body, ...proposed } = await sell();
  expect(proposed).toMatchObject({ status: 201 });
  const read = await service.api.get<{ data: object }>(`/proposals/${body.proposal_id}`);
  expect(read.body.data).toMatchObject({
    status: 'ACTIVE',
    thresholds: {
      creation: { required: 1, actual: 60 },
      start: { required: 5, actual: 60 },
      turnout: { required: 10 },
    },
  });
  const cosigners = await service.api.get<{ data: { cosigners: { wallet: string }[] } }>(
    `/proposals/${body.proposal_id}/cosigners`,
  );
  expect(cosigners.body.data.cosigners.map(({ wallet }) => wallet)).toEqual(voters.slice(0, 2));

  // Who has no tokens has no share of them, also when none are left.
  await service.sql.run`update terminations set circulating = 0 where vault_id = ${vaultId}`;
  expect(await sell()).toMatchObject(errorResponse(400, 'CREATION_THRESHOLD_NOT_MET'));
});
