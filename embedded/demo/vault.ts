import { type components, requireData } from '../../client/src/index.ts';
import type { People } from './people.ts';
import type { Service } from './service.ts';
import { FT_DECIMALS } from './settlement.ts';
import { ada, fund, print, signAndWait, type Wallet } from './wallets.ts';

export interface FilledVault {
  readonly vaultId: string;
  /** Policy id of Ada's paintings. */
  readonly paintings: string;
  /** Asset name of the painting that is sold later. */
  readonly dawn: string;
}

/** Creates the vault; two wallets contribute assets, two invest. */
export async function fillVault(service: Service, temporalUiUrl: string | null, people: People): Promise<FilledVault> {
  const vaultId = await createVault(service, people.ada);
  if (temporalUiUrl !== null) print(`  watch it at ${temporalUiUrl}/namespaces/default/workflows/vault-${vaultId}`);

  // Names of this run only: the faucet mints under one policy, and an earlier vault keeps the assets of its run.
  const nameOfThisRun = (name: string) => `${name} ${vaultId.slice(-6)}`;
  const [dawn, dusk, gold] = [nameOfThisRun('Dawn'), nameOfThisRun('Dusk'), nameOfThisRun('Gold')];
  const paintings = await fund(service, people.ada, [
    { assetName: dawn, quantity: '1' },
    { assetName: dusk, quantity: '1' },
  ]);
  const metal = await fund(service, people.grace, [{ assetName: gold, quantity: '5000' }]);
  await fund(service, people.edsger);
  await fund(service, people.barbara);
  await service.develop('prices', { policyId: metal, assetName: gold, lovelace: 500_000 });

  const painting = { policy_id: paintings, valuation_method: 'floor_price' };
  await addAsset(service, vaultId, people.ada, { ...painting, asset_name: dawn });
  await addAsset(service, vaultId, people.ada, { ...painting, asset_name: dusk });
  const bullion = { policy_id: metal, asset_name: gold, valuation_method: 'dex_price', quantity: 5000 };
  await addAsset(service, vaultId, people.grace, bullion);
  const params = { path: { vaultId } };
  const { data } = requireData(await service.api.GET('/api/v1/vaults/{vaultId}/valuation', { params }));
  print(`  the vault holds assets worth ${ada(data.valuation.total)}`);

  await invest(service, vaultId, people.edsger, 900_000_000);
  await invest(service, vaultId, people.barbara, 1_350_000_000);
  return { vaultId, paintings, dawn };
}

async function createVault({ api }: Service, admin: Wallet): Promise<string> {
  const body = {
    vault_name: 'Gallery Wharf',
    vault_type: 'public',
    admin_user: { wallet_address: admin.address },
    asset_settings: { allowed_asset_types: ['NFT', 'CNT'], valuation_type: 'LBE', asset_window_duration: '03:00:00' },
    investment_settings: {
      investment_window_duration: '168h',
      minimum_investment_reserve: 10,
      ft_supply: 1_000_000,
      ft_token_decimals: FT_DECIMALS,
      lp_percentage: 10,
    },
    governance_settings: {
      creation_threshold: 1,
      start_threshold: 5,
      vote_threshold: 30,
      execution_threshold: 51,
      cosigning_threshold: 10,
    },
  };
  const created = requireData(await api.POST('/api/v1/vaults', { body }));
  print(`Created vault ${created.vault_id}
  by transaction ${created.transaction.tx_hash}`);
  return created.vault_id;
}

async function addAsset(
  service: Service,
  vaultId: string,
  owner: Wallet,
  asset: Omit<components['schemas']['AddAsset'], 'metadata' | 'wallet_address'>,
): Promise<void> {
  const metadata = { creator: owner.name, legal_proof: 'https://example.com/proof' };
  const body = { ...asset, metadata, wallet_address: owner.address };
  const params = { path: { vaultId } };
  const { transaction } = requireData(await service.api.POST('/api/v1/vaults/{vaultId}/assets', { params, body }));
  const { tx_hash: hash, unsigned_tx: unsignedTx } = transaction;
  await signAndWait(service, vaultId, owner, { hash, unsignedTx }, `${owner.name} contributed ${asset.asset_name}`);
}

async function invest(service: Service, vaultId: string, investor: Wallet, lovelace: number): Promise<void> {
  const body = { walletAddress: investor.address, lovelace };
  const params = { path: { vaultId } };
  const { data } = requireData(await service.api.POST('/api/v1/vaults/{vaultId}/investments', { params, body }));
  await signAndWait(service, vaultId, investor, data.transaction, `${investor.name} invested ${ada(lovelace)}`);
}
