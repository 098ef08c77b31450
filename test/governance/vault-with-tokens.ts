import type { ApiService } from '../vaults/api-service.ts';
import { newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';

/** A vault whose tokens this wallet holds: 5,000 whole tokens of six decimals. */
export async function vaultWithTokens(
  service: ApiService,
  { address }: { readonly address: string },
  status = 'LOCKED',
  type = 'PUBLIC',
): Promise<string> {
  const body = { ...vaultBody(newWallet().address), vault_type: type, privacy_type: type };
  const created = await service.api.post<{ vault_id: string }>('/vaults', body);
  const assets = [{ assetNameHex: '0014df1046', quantity: '5000000000' }];
  const { policyId } = await service.ledger.faucet({ address, lovelace: '100000000', assets });
  await service.ledger.mine();
  const { vault_id: id } = created.body;
  await service.sql.run`update vaults set status = ${status}, ft_unit = ${`${policyId}0014df1046`} where id = ${id}`;
  return id;
}

/** Makes a stake final, as if its transaction had become final. */
export const makeStakeFinal = ({ sql }: ApiService, stakeId: string) =>
  sql.query('update stakes set final_at = staked_at where id = $1', [stakeId]);
