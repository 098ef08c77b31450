import { expect, test } from '@jest/globals';
import { recordStatements } from '../store/recorded-statements.ts';
import { apiService } from '../vaults/api-service.ts';
import { lockedVault, propose } from './staked-vault.ts';

interface ProposalsResponse {
  readonly data: { readonly proposals: readonly { readonly eligiblePowerBaseUnits: string }[] };
}

test('a page of proposals reads the eligible power of all of them in one statement', async () => {
  await using service = await apiService();
  const { vaultId, proposer } = await lockedVault(service, [60_000, 20_000]);
  for (let created = 0; created < 5; created += 1) await propose(service, vaultId, proposer);
  await service.sql.run`update proposals set voting_starts_at = voting_starts_at - interval '1 hour'
      where id = (select id from proposals order by created_at limit 1)`;

  using recorded = recordStatements();
  const { proposals } = (await service.api.get<ProposalsResponse>(`/vaults/${vaultId}/proposals?sort=createdAt:asc`))
    .body.data;
  const staked = '80000000000';
  expect(proposals.map((one) => one.eligiblePowerBaseUnits)).toEqual(['0', staked, staked, staked, staked]);
  const queries = recorded.statements().filter(({ text }) => text.includes('held_again_at'));
  expect(queries).toHaveLength(1);
});
