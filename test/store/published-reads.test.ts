import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { claimClient } from '../claims/claim-client.ts';
import { vaultWithPot } from '../claims/vault-with-pot.ts';
import { loggedInMembers } from '../governance/logged-in-members.ts';
import { propose, voteBody } from '../governance/staked-vault.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { depositedVault } from './deposited-vault.ts';
import { cached, recordStatements } from './recorded-statements.ts';

/** No read needs more. */
const FEW = 4;

/** Says whether the api can take requests, which is no read of a resource; without a worker it is refused. */
const notRead = ['readReadiness'];

test('no read of the published document sends more than a few statements, nor a list more for several rows than for one', async () => {
  await using service = await apiService();
  const { paramsOf, callers } = await filledService(service);
  const reads = await publishedReads(service);
  expect(reads.length).toBeGreaterThan(50);

  using recorded = recordStatements();
  const countOf = async (path: string, caller: (typeof callers)[number]) => {
    const { status, headers } = await service.root.get(path, caller);
    const sent = recorded.statements(headers.get('x-correlation-id') ?? '').filter(({ text }) => !cached.test(text));
    return status === 200 ? sent.length : null;
  };
  const [unread, many, growing]: string[][] = [[], [], []];
  for (const { name, operationId, path, isList } of reads) {
    const params = paramsOf(operationId);
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, param: string) => params[param] ?? param);
    const counts = await Promise.all(callers.map((caller) => countOf(filled, caller)));
    const most = Math.max(...counts.map((count) => count ?? -1));
    if (most < 0) unread!.push(name);
    if (most > FEW) many!.push(`${name}: ${most}`);
    if (!isList) continue;
    const ofOne = filled + (filled.includes('?') ? '&' : '?') + 'limit=1';
    const counted = await Promise.all(callers.map((caller) => countOf(ofOne, caller)));
    if (counted.some((count, place) => count !== counts[place])) growing!.push(name);
  }
  expect({ unread, many, growing }).toEqual({ unread: [], many: [], growing: [] });
});

/** The GET operations of the OpenAPI document, with the queries that they cannot do without. */
async function publishedReads({ root }: ApiService) {
  interface Document {
    readonly paths: Readonly<
      Record<
        string,
        { readonly get?: { readonly operationId: string; readonly parameters?: readonly { readonly name?: string }[] } }
      >
    >;
  }
  const { body } = await root.get<Document>('/openapi.json');
  const reads = Object.entries(body.paths).flatMap(([path, { get }]) => {
    if (!get || notRead.includes(get.operationId)) return [];
    const { operationId, parameters = [] } = get;
    const isList = parameters.some(({ name }) => name === 'limit');
    return [{ name: operationId, operationId, isList, path: path + (queries[operationId] ?? '') }];
  });
  const otherwise = reads.flatMap(({ operationId, isList, path }) =>
    Object.entries(otherQueries[operationId] ?? {}).map(([what, query]) => {
      return { name: `${operationId} ${what}`, operationId, isList, path: path.replace(/\?.*/, '') + query };
    }),
  );
  return [...reads, ...otherwise];
}

const queries: Readonly<Record<string, string>> = {
  readQuote: '?lovelace=5000000',
  listEvents: '?vaultId={vaultId}',
};

/** Queries that are counted, too. */
const otherQueries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  readVotingPower: { 'in a proposal': '?proposalId={proposalId}' },
  listProposals: { 'by status': '?status=ACTIVE' },
  listEvents: { 'after a number': '?vaultId={vaultId}&after=1' },
};

/** A service with something of each kind, the parameters by which an operation reads it, and a key and a wallet that read. */
async function filledService(service: ApiService) {
  const { api, sql } = service;
  const { people, vaultId } = await loggedInMembers(service, [600_000, 400_000]);
  const { address, session } = people[0]!;
  const proposalId = await propose(service, vaultId, address);
  const voted = await api.post<{ vote_id: string }>(`/proposals/${proposalId}/votes`, voteBody(address, 10, 'yes'));
  const deposited = await depositedVault(service);
  await boundInvestment(service, deposited);
  const claimed = await claimedVault(service);
  const reconciliationId = randomUUID();
  await sql.run`insert into reconciliations (id, started_by, started_at)
      values (${reconciliationId}, 'operator', now())`;
  const stakes = await sql.query<{ id: string }>('select id from stakes limit 1');
  const keys = await sql.query<{ id: string }>('select id from api_keys limit 1');
  const { vote_id: voteId } = voted.body;
  const [stakeId, keyId] = [stakes.rows[0]!.id, keys.rows[0]!.id];
  const governed = { vaultId, proposalId, voteId, factId: voteId, stakeId, address, hash: deposited.hash };
  const params: Record<string, Record<string, string>> = {
    readAsset: deposited,
    readInvestment: deposited,
    listInvestments: deposited,
    readQuote: deposited,
    readClaim: claimed,
    readVaultType: { name: 'PRIVATE' },
    readAssetType: { name: 'NFT' },
  };
  return {
    paramsOf: (operationId: string) => params[operationId] ?? { ...governed, reconciliationId, keyId },
    callers: [{}, session],
  };
}

/** Gives an investment bounds, one of which does not hold, in a vault that is worth something. */
async function boundInvestment({ sql }: ApiService, { assetId, investmentId }: Record<string, string>) {
  await sql.run`update assets set status = 'LOCKED' where id = ${assetId}`;
  await sql.run`update investments set status = 'CONFIRMED', min_vault_value = 1, max_fdv = 1
      where id = ${investmentId}`;
}

/** A vault with a claim. */
async function claimedVault(service: ApiService) {
  const holder = await service.fundedWallet();
  const holders = [{ address: holder.address, tokens: 500_000n }];
  const { vaultId } = await vaultWithPot(service, holders, { outputs: [10_000_000n] });
  return { vaultId, claimId: (await claimClient(service).asked(vaultId, holder)).id };
}
