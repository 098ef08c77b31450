import { expect, test } from '@jest/globals';
import { createIds } from '../../src/platform/units/ids.ts';
import { wallClock } from '../../src/platform/units/time.ts';
import { fileStack } from '../stack/file-stack.ts';
import { person } from '../vault-lifecycle/participants.ts';
import { advance } from '../vault-lifecycle/vault-requests.ts';
import { until } from '../stack/until.ts';
import { propose, voteBody } from './staked-vault.ts';
import { seedStakes } from './seed-stakes.ts';
import { settledVault } from './settled-vault.ts';

const stackOfFile = fileStack();
const DAY = 86_400;

interface Activity {
  readonly type: string;
  readonly actor: string;
  readonly transactionHash: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

test('metrics and activity of a settled vault follow the market, its votes and its events', async () => {
  const stack = stackOfFile();
  const { api } = stack;
  const [contributor, investor] = [person(611), person(612)];
  const { id } = await settledVault(stack, { contributor, investor }, { nft: 'Granary' });
  const metrics = async () => (await api.get<{ data: object }>(`/vaults/${id}/metrics`)).body.data;
  expect(await metrics()).toMatchObject({
    valuation: { initial: '450000000', current: '450000000', change: '0.00%' },
    participation: { uniqueVoters: 0, averageQuorum: '0.00%', proposalCount: 0 },
    timeline: { age: '01:00:00' },
  });

  // The market moves on; what the settlement counted stays beside it.
  const rows = await stack.sql.run<{ policy_id: string; asset_name: string }>`select policy_id, asset_name
      from assets where vault_id = ${id}`;
  const { policy_id: policyId, asset_name: assetName } = rows[0]!;
  await stack.sql.run`update prices set lovelace = 400000000
      where policy_id = ${policyId} and asset_name = ${assetName}`;
  expect(await metrics()).toMatchObject({
    valuation: { initial: '450000000', current: '360000000', change: '-20.00%' },
  });
  expect((await api.get(`/vaults/${id}/valuation`)).body).toMatchObject({
    data: {
      valuation: { total: '360000000', settled: { total: '450000000' }, assets: [{ settledValue: '450000000' }] },
    },
  });
  expect((await api.get(`/vaults/${id}/assets`)).body).toMatchObject({
    data: { assets: [{ floorPrice: 400_000_000, currentValue: '360000000', settledValue: '450000000' }] },
  });

  await seedStakes(
    stack.sql,
    id,
    [
      { wallet: contributor.address, tokens: 300_000 },
      { wallet: investor.address, tokens: 100_000 },
    ],
    new Date(),
  );
  const proposalId = await propose({ api: stack.api }, id, contributor.address);
  const voted = await api.post<{ vote_id: string; transaction: { tx_hash: string } }>(
    `/proposals/${proposalId}/votes`,
    voteBody(investor.address, 100_000, 'yes'),
  );
  expect(await metrics()).toMatchObject({
    participation: { uniqueVoters: 1, averageQuorum: '0.00%', proposalCount: 1 },
  });
  await advance(stack, 3 * DAY + 3600);
  await until(async () => JSON.stringify(await metrics()).includes('"averageQuorum":"25.00%"'), {
    what: 'the vote to be counted',
  });

  const activities = async (query: string) =>
    (
      await api.get<{ data: { activities: Activity[]; pagination: { total: number } } }>(
        `/vaults/${id}/activity${query}`,
      )
    ).body.data;
  const { activities: all, pagination } = await activities('');
  expect(pagination.total).toBe(3);
  expect(all.map(({ type, actor }) => [type, actor])).toEqual([
    ['VOTE_CAST', investor.address],
    ['PROPOSAL_CREATED', contributor.address],
    ['ASSET_ADDED', contributor.address],
  ]);
  expect(all[0]).toMatchObject({
    transactionHash: voted.body.transaction.tx_hash,
    details: { proposalId, voteId: voted.body.vote_id, decision: 'APPROVE' },
  });
  expect((await activities('?sort=timestamp:asc&limit=1')).activities).toMatchObject([{ type: 'ASSET_ADDED' }]);
  expect((await activities('?type=vote_cast')).pagination.total).toBe(1);
  expect((await activities(`?actor=${contributor.address}`)).pagination.total).toBe(2);
  const everything = (await activities('?types=all&limit=100')).activities;
  expect(everything).toContainEqual(
    expect.objectContaining({
      type: 'TRANSACTION_STATUS_CHANGED',
      details: { kind: 'mint', from: 'confirmed', to: 'final', blockHeight: expect.any(Number), reason: null },
    }),
  );
  // The vote that locked the stake has ended.
  expect(everything.filter(({ type }) => type === 'STAKE_UNLOCKED')).toMatchObject([
    { actor: investor.address, details: { amountBaseUnits: '100000000000' } },
  ]);
  const unknown = createIds({
    clock: wallClock,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
  }).next();
  for (const read of ['metrics', 'activity'])
    expect(await api.get(`/vaults/${unknown}/${read}`)).toMatchObject({ status: 404 });
});
