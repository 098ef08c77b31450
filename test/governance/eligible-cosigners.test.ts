import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { person } from '../vault-lifecycle/participants.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { lockedVault, proposalBody, propose } from './staked-vault.ts';
import { vaultWithCustody } from './vault-with-custody.ts';
import { errorResponse } from '../stack/error-response.ts';

interface CosignersResponse {
  readonly data: {
    readonly required: number;
    readonly cosigners: readonly { readonly keyHash: string; readonly wallet: string | null; staked: number }[];
  };
  readonly metadata: { readonly pagination: { readonly total: number } };
}

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

test('a wallet that staked exactly the cosigning threshold may cosign, one with less may not; the largest stake is listed first', async () => {
  const { api, sql } = service;
  const { vaultId, voters } = await lockedVault(service, [150_000, 300_000, 100_000, 99_999, 200_000], (n) => {
    return person(390 + n).address;
  });
  const [third, first, fourth, , notFinal] = voters;
  const body = proposalBody(third ?? '');
  const governance_thresholds = { ...body.governance_thresholds, cosigning_threshold: 10, required_cosigners: 2 };
  const { body: created } = await api.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, {
    ...body,
    governance_thresholds,
  });
  await sql.run`update stakes set final_at = null where wallet = ${notFinal}`;

  const path = `/proposals/${created.proposal_id}/cosigners`;
  const firstPage = await api.get<CosignersResponse>(path);
  expect(firstPage).toMatchObject({
    status: 200,
    body: { data: { required: 2 }, metadata: { pagination: { total: 3 } } },
  });
  expect(firstPage.body.data.cosigners.map(({ wallet, staked }) => [wallet, staked])).toEqual([
    [first, 300_000],
    [third, 150_000],
    [fourth, 100_000],
  ]);
  expect(await api.get(`${path}?limit=2&page=2`)).toMatchObject({
    body: { data: { cosigners: [{ wallet: fourth, stakedBaseUnits: '100000000000' }] } },
  });
  expect(await api.get(`${path}?page=9`)).toMatchObject({
    body: { data: { cosigners: [] }, metadata: { pagination: { total: 3 } } },
  });
  expect(await api.get('/proposals/01a1fe31-7168-78ba-9a54-09f02a924cc8/cosigners')).toMatchObject(
    errorResponse(404, 'PROPOSAL_NOT_FOUND'),
  );
});

test('registered cosigner keys are the only ones listed, whatever other wallets have staked', async () => {
  const guards = [newWallet(), newWallet()];
  const governance = { cosigners: guards.map(({ address }) => address), required_cosigners: 2 };
  const vault = await vaultWithCustody(service, governance);
  const id = await propose(service, vault.vaultId, vault.big.address);
  const { body } = await service.api.get<CosignersResponse>(`/proposals/${id}/cosigners`);
  expect(body).toMatchObject({ data: { required: 2 }, metadata: { pagination: { total: 2 } } });
  expect(body.data.cosigners).toEqual(
    guards.map(({ keyHash }) => ({ keyHash, wallet: null, staked: 0, stakedBaseUnits: '0' })),
  );
});
