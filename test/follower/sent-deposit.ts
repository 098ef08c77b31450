import { expect } from '@jest/globals';
import { submitDirectly } from '../vault-lifecycle/direct-submission.ts';
import { type ApiService, newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';

interface DepositResponse {
  readonly data: { readonly transaction: { readonly hash: string; readonly unsignedTx: string } };
}

/** Creates a vault; returns its id. */
export const newVault = async ({ api }: ApiService) =>
  (await api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address))).body.vault_id;

type Owner = Awaited<ReturnType<ApiService['fundedWallet']>>;

/** A deposit of an NFT that its owner has signed and sent to the ledger itself, in no block yet. */
export async function sentDeposit(
  service: ApiService,
  vaultId: string,
  owner: Owner,
  assetName: string,
): Promise<string> {
  const body = { walletAddress: owner.address, assets: [{ policyId: owner.policyId, assetName }] };
  const answer = await service.api.post<DepositResponse>(`/vaults/${vaultId}/deposits`, body);
  expect(answer).toMatchObject({ status: 201 });
  const { hash, unsignedTx } = answer.body.data.transaction;
  const signed = await service.api.post(`/transactions/${hash}/witnesses`, { witnessSet: owner.sign(unsignedTx) });
  expect(signed).toMatchObject({ status: 200 });
  await submitDirectly(service, owner, unsignedTx);
  return hash;
}
