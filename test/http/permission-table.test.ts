import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { accessOf, permissionsDocument, permissionsFile } from '../../scripts/permission-table.ts';
import { formatApiKey } from '../../src/access/api-keys.ts';
import { roles } from '../../src/access/rules.ts';
import { apiRoutes } from '../../src/routes.ts';
import { loggedInMembers } from '../governance/logged-in-members.ts';
import { propose, voteBody } from '../governance/staked-vault.ts';
import { type ApiService, apiService } from '../vaults/api-service.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { signingWallet } from './signing-wallet.ts';
import { storeConfiguredKey } from './configured-key.ts';
import { errorResponse } from '../stack/error-response.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

type Caller = Awaited<ReturnType<typeof logIn>> | { key: string };
type Params = Readonly<Record<string, string>>;

/** They list what the condition allows. */
const permittedPerRow = ['listVaults', 'listWalletVaults'];

test('docs/reference/permissions.md shows the rules of the routes (npm run generate:permissions)', async () => {
  expect(await readFile(permissionsFile, 'utf8')).toBe(await permissionsDocument());
});

test.each(roles)(
  '%s may call what the table says and nothing else, whether or not the resource exists',
  async (role) => {
    const caller = await callerWith(role);
    for (const route of apiRoutes.api) {
      const { status, body } = await request(route, {}, await caller());
      const access = accessOf(role, route);
      // A missing vault has no status, but belongs to its caller: the operation then says that it does not exist.
      const isLet = access === 'yes' || access === 'own: true' || permittedPerRow.includes(route.operationId);
      const isRefused = status === 403 && JSON.stringify(body).includes('INSUFFICIENT_PERMISSIONS');
      expect([route.operationId, status < 500, isRefused]).toEqual([route.operationId, true, !isLet]);
    }
  },
);

test('a condition on the status of a vault holds for vaults with this status only', async () => {
  const { address } = signingWallet();
  const vaultId = await createVault(service, address);
  const voter = await (await callerWith('VOTER'))();
  const conditional = apiRoutes.api.filter((route) => accessOf('VOTER', route) === 'status: ACTIVE');
  expect(conditional.length).toBeGreaterThan(2);

  const statuses = async () => {
    const answers = conditional.map(async (route) => (await request(route, { vaultId }, voter)).status);
    return (await Promise.all(answers)).map((status) => (status === 403 ? 'refused' : 'let in'));
  };
  const inDraft = conditional.map(({ operationId }) => (permittedPerRow.includes(operationId) ? 'let in' : 'refused'));
  expect(await statuses()).toEqual(inDraft);
  await service.sql.run`update vaults set status = 'ACTIVE' where id = ${vaultId}`;
  expect(new Set(await statuses())).toEqual(new Set(['let in']));
});

test('what is limited to its owner is refused to another wallet, and open to the owner', async () => {
  const { people, vaultId: locked } = await loggedInMembers(service, [600_000, 400_000]);
  const [owner, , stranger] = people;
  const params = await ownResources(owner!.address, locked);
  const own = apiRoutes.api.filter((route) => accessOf('PARTICIPANT', route) === 'own: true');
  expect(own.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining([
      'cancelVault',
      'removeAsset',
      'removeInvestment',
      'unstake',
      'cancelProposal',
      'revokeVote',
    ]),
  );
  // Votes go before their proposal, and what is in a vault before the vault.
  for (const route of own.toReversed()) {
    const asStranger = await request(route, params, stranger!.session);
    expect({ operation: route.operationId, ...asStranger }).toMatchObject(
      errorResponse(403, 'INSUFFICIENT_PERMISSIONS', { heldOnlyWhere: [{ own: true }] }),
    );
    const asOwner = await request(route, params, owner!.session);
    // A stake that was put into the database has no output to return: the request is let in and then fails.
    expect([route.operationId, [401, 403, 404].includes(asOwner.status)]).toEqual([route.operationId, false]);
  }
});

/** Makes callers that have only this role: a key, or for the role of sessions a wallet that logs in again. */
async function callerWith(role: string): Promise<() => Promise<Caller>> {
  if (role === 'PARTICIPANT') return () => logIn(service, signingWallet());
  const key = formatApiKey({ environment: 'test', id: randomUUID(), secret: randomBytes(32) });
  await storeConfiguredKey(service.db, { text: key, name: role, roles: [role] });
  return () => Promise.resolve({ key });
}

/** Sends a request with these path parameters; those not given name nothing that exists. */
async function request({ method, path, body }: (typeof apiRoutes.api)[number], params: Params, caller: Caller) {
  const absent: Params = { hash: '00'.repeat(32), address: signingWallet().address };
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? absent[name] ?? randomUUID());
  const { api } = service;
  if (method === 'get') return api.get(filled, caller);
  return api[method === 'delete' ? 'del' : method](filled, body ? {} : undefined, caller);
}

/** A vault of the wallet with a deposit of each kind, and its stake, proposal and vote in a locked vault. */
async function ownResources(wallet: string, locked: string): Promise<Params> {
  const { api, ledger, sql } = service;
  const assets = [{ assetNameHex: Buffer.from('Boat').toString('hex'), quantity: '1' }];
  const { policyId } = await ledger.faucet({ address: wallet, lovelace: '100000000', assets });
  await ledger.mine();
  const vaultId = await createVault({ api }, wallet);
  const asset = { policy_id: policyId, asset_name: 'Boat', wallet_address: wallet };
  const added = await api.post<{ asset_id: string }>(`/vaults/${vaultId}/assets`, asset);
  await ledger.faucet({ address: wallet, lovelace: '100000000' });
  await ledger.mine();
  await api.post(`/vaults/${vaultId}/investments`, { walletAddress: wallet, lovelace: 5_000_000 });
  const proposalId = await propose(service, locked, wallet);
  await api.post(`/proposals/${proposalId}/votes`, voteBody(wallet, 1, 'yes'));
  const idIn = async (table: string, column: string) =>
    (await sql.query<{ id: string }>(`select id from ${table} where ${column} = $1`, [wallet])).rows[0]?.id ?? '';
  return {
    vaultId,
    assetId: added.body.asset_id,
    investmentId: await idIn('investments', 'wallet'),
    stakeId: await idIn('stakes', 'wallet'),
    voteId: await idIn('votes', 'wallet'),
    proposalId,
  };
}
