import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { apiRoutes } from '../../src/routes.ts';
import { loggedInMembers } from '../governance/logged-in-members.ts';
import { propose, voteBody } from '../governance/staked-vault.ts';
import { apiService } from './api-service.ts';

interface Parameter {
  readonly description?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
}

/** Every operation that returns pages, with its orders and its filters. */
const lists = apiRoutes.api.flatMap(({ operationId, path, query }) => {
  const { properties = {} } = z.toJSONSchema(query, { io: 'input' }) as { properties?: Record<string, Parameter> };
  const { page, after: _after, limit, sort, ...filters } = properties;
  return page && limit ? [{ operationId, path, sorts: sort?.enum ?? [], filters }] : [];
});

/** A wallet has few sessions, a vault few rotations, and all that may cosign a proposal are the answer to who may. */
const withoutFilter = ['listSessions', 'listCosigners', 'listRotations'];

test('every list has an order in both directions, and a filter unless nothing could be left out', () => {
  expect(lists.length).toBeGreaterThan(17);
  for (const { operationId, sorts, filters } of lists) {
    const fields = sorts.filter((sort) => sort.endsWith(':asc')).map((sort) => sort.replace(':asc', ''));
    expect([operationId, fields.length > 0]).toEqual([operationId, true]);
    expect(sorts.toSorted()).toEqual(fields.flatMap((field) => [`${field}:asc`, `${field}:desc`]).toSorted());
    const hasFilter = Object.keys(filters).length > 0;
    expect([operationId, hasFilter]).toEqual([operationId, !withoutFilter.includes(operationId)]);
  }
});

test('every list gives pages in each order and takes each filter, and names the parameter that it refuses', async () => {
  await using service = await apiService();
  const { api } = service;
  const { people, vaultId } = await loggedInMembers(service, [600_000, 400_000]);
  const { address, session } = people[0]!;
  const proposalId = await propose(service, vaultId, address);
  expect(await api.post(`/proposals/${proposalId}/votes`, voteBody(address, 1, 'yes'))).toMatchObject({ status: 200 });
  const reconciliationId = randomUUID();
  await service.sql.run`insert into reconciliations (id, started_by, started_at)
      values (${reconciliationId}, 'operator', now())`;
  const params: Record<string, string> = { vaultId, proposalId, address, reconciliationId };
  const valueFor = (name: string, filter: Parameter) => {
    if (filter.format === 'uuid') return params[name] ?? '';
    if (filter.format === 'date-time') return new Date().toISOString();
    if (name === 'version') return 'v1.0.0';
    return wordOf(filter) ?? address;
  };

  for (const { operationId, path, sorts, filters } of lists) {
    const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? '');
    const list = async (query: string) => {
      const caller = operationId === 'listSessions' ? session : undefined;
      const { status, body } = await api.get(`${filled}?${query}`, caller);
      return { operationId, query, status, body };
    };
    const accepted = [
      ...sorts.map((sort) => `limit=1&sort=${sort}`),
      'page=2&limit=1',
      ...Object.entries(filters).map(([name, filter]) => `${name}=${encodeURIComponent(valueFor(name, filter))}`),
    ];
    for (const query of accepted) expect(await list(query)).toMatchObject({ operationId, query, status: 200 });
    for (const query of ['sort=nothing:asc', 'sort=createdAt:up', 'page=0', 'limit=101', 'unknown=1']) {
      const errors = [{ field: query.split('=')[0] }];
      const error = { code: 'INVALID_REQUEST', details: { errors } };
      expect(await list(query)).toMatchObject({ operationId, query, status: 400, body: { error } });
    }
  }
  const votes = async (query: string) => {
    const { body } = await api.get<{ data: { votes: object[] } }>(`/proposals/${proposalId}/votes?${query}`);
    return body.data.votes.length;
  };
  expect([await votes('decision=approve'), await votes('decision=no')]).toEqual([1, 0]);
  expect([await votes(`wallet=${address}`), await votes(`wallet=${people[1]!.address}`)]).toEqual([1, 0]);
  const proposals = async (createdBy: string) => {
    const path = `/vaults/${vaultId}/proposals?createdBy=${createdBy}`;
    return (await api.get<{ data: { proposals: object[] } }>(path)).body.data.proposals.length;
  };
  expect([await proposals(address), await proposals(people[1]!.address)]).toEqual([1, 0]);
});

test('the vaults of a wallet show what it has staked in each, and can be filtered', async () => {
  await using service = await apiService();
  const { people, vaultId } = await loggedInMembers(service, [600_000, 400_000]);
  const { address } = people[1]!;
  const rows = await service.sql.run<{ ft_decimals: number }>`select ft_decimals from vaults where id = ${vaultId}`;
  const staked = 400_000n * 10n ** BigInt(rows[0]!.ft_decimals);
  const vaults = async (query: string) =>
    (await service.api.get<{ data: { vaults: object[] } }>(`/wallets/${address}/vaults${query}`)).body.data.vaults;
  expect(await vaults('')).toMatchObject([
    { vaultId, status: 'LOCKED', roles: ['staker'], deposits: { staked: 400_000, stakedBaseUnits: String(staked) } },
  ]);
  expect(await vaults('?status=active')).toEqual([]);
  expect(await vaults('?status=locked&type=private')).toEqual([]);
});

/** A word that the parameter accepts; undefined if it takes any text. */
function wordOf({ enum: words, const: word, description = '' }: Parameter): string | undefined {
  const [, listed] = /`(\w+)`.* Not case-sensitive\.$/.exec(description) ?? [];
  return word ?? words?.[0] ?? listed;
}
