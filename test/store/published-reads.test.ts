import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { claimClient } from '../claims/claim-client.ts';
import { vaultWithPot } from '../claims/vault-with-pot.ts';
import { loggedInMembers } from '../governance/logged-in-members.ts';
import { propose, voteBody } from '../governance/staked-vault.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { depositedVault } from './deposited-vault.ts';
import { cached, recordStatements } from './recorded-statements.ts';

/** How many statements a read sends that sends more than one, and why. A query is named where it makes the difference. */
const more: Readonly<Record<string, readonly [statements: number, because: string]>> = {
  listUnsolicited: [3, 'only for the admin; the addresses of the vault decide which outputs can be returned'],
  readStatement: [2, 'the addresses of the vault, which follow from its keys, decide whose movements are read'],
  listRemains: [2, 'the addresses of the vault, which follow from its keys, decide which outputs are read'],
  verifyAuditLog: [2, 'it reads what is anchored, and the entries of the chain in pages'],
};

/** Reads of what a process knows by itself. */
const without = ['readAnchorPace', 'listVersions', 'readLiveness', 'readAsyncApi', 'readOpenApi'];

/** Says whether the api can take requests, which is no read of a resource; without a worker it is refused. */
const notRead = ['readReadiness'];

test('each read of the published document is one statement at most, or it is said why it needs more', async () => {
  await using service = await apiService();
  const { paramsOf, callers } = await filledService(service);
  const reads = await publishedReads(service);
  expect(reads.length).toBeGreaterThan(50);

  using recorded = recordStatements();
  const counts: Record<string, number> = {};
  for (const { name, operationId, path } of reads) {
    const params = paramsOf(operationId);
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, param: string) => params[param] ?? param);
    for (const caller of callers) {
      const { status, headers } = await service.root.get(filled, caller);
      const sent = recorded.statements(headers.get('x-correlation-id') ?? '').filter(({ text }) => !cached.test(text));
      if (status === 200) counts[name] = Math.max(counts[name] ?? 0, sent.length);
    }
  }
  const expected = (name: string) => (without.includes(name) ? 0 : (more[name]?.[0] ?? 1));
  expect(counts).toEqual(Object.fromEntries(reads.map(({ name }) => [name, expected(name)])));
  const names = new Set(reads.map(({ name }) => name));
  expect([...Object.keys(more), ...without].filter((name) => !names.has(name))).toEqual([]);
});

/** The GET operations of the OpenAPI document, with the queries that they cannot do without. */
async function publishedReads({ root }: ApiService) {
  interface Document {
    readonly paths: Readonly<Record<string, { readonly get?: { readonly operationId: string } }>>;
  }
  const { body } = await root.get<Document>('/openapi.json');
  const reads = Object.entries(body.paths).flatMap(([path, { get }]) => {
    if (!get || notRead.includes(get.operationId)) return [];
    const { operationId } = get;
    return [{ name: operationId, operationId, path: path + (queries[operationId] ?? '') }];
  });
  const otherwise = reads.flatMap(({ operationId, path }) =>
    Object.entries(otherQueries[operationId] ?? {}).map(([what, query]) => {
      return { name: `${operationId} ${what}`, operationId, path: path.replace(/\?.*/, '') + query };
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
  await sql.query("insert into reconciliations (id, started_by, started_at) values ($1, 'operator', now())", [
    reconciliationId,
  ]);
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
  await sql.query("update assets set status = 'LOCKED' where id = $1", [assetId]);
  await sql.query("update investments set status = 'CONFIRMED', min_vault_value = 1, max_fdv = 1 where id = $1", [
    investmentId,
  ]);
}

/** A vault with a claim. */
async function claimedVault(service: ApiService) {
  const holder = await service.fundedWallet();
  const holders = [{ address: holder.address, tokens: 500_000n }];
  const { vaultId } = await vaultWithPot(service, holders, { outputs: [10_000_000n] });
  return { vaultId, claimId: (await claimClient(service).asked(vaultId, holder)).id };
}
