import type { ApiService } from '../vaults/api-service.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

/** A vault with an asset, an investment and their transactions. */
export async function depositedVault(service: ApiService) {
  const { api } = service;
  const [owner, investor] = [await service.fundedWallet({ Boat: '1' }), await service.fundedWallet()];
  const vaultId = await createVault({ api }, owner.address);
  const added = await api.post<{ asset_id: string }>(`/vaults/${vaultId}/assets`, {
    policy_id: owner.policyId,
    asset_name: 'Boat',
    wallet_address: owner.address,
  });
  const invested = await api.post<{ data: { investmentId: string; transaction: { hash: string } } }>(
    `/vaults/${vaultId}/investments`,
    { walletAddress: investor.address, lovelace: 5_000_000 },
  );
  const { investmentId, transaction } = invested.body.data;
  return { vaultId, assetId: added.body.asset_id, investmentId, hash: transaction.hash };
}
