import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { type ApiService, newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { recordTransaction } from './record-transaction.ts';
import { seedStakes } from './seed-stakes.ts';

const ADA = 1_000_000;

/** A locked vault with a custody address, set up in the database, in which three wallets have staked; the largest staker proposes. */
export async function vaultWithCustody(service: ApiService, governance: object = {}) {
  const [big, middle, small] = [newWallet(), newWallet(), newWallet()];
  const body = vaultBody(big.address);
  const { body: created } = await service.api.post<{ vault_id: string }>('/vaults', {
    ...body,
    governance_settings: { ...body.governance_settings, ...governance },
  });
  const vaultId = created.vault_id;
  const [row] = await service.sql.run<{ custody: string; key: string }>`update vaults
      set status = 'LOCKED', locked_at = now() where id = ${vaultId}
      returning contract_address as custody, vault_key_hash as key`;
  if (!row) throw new Error('the vault does not exist');
  const stakes = [
    { wallet: big.address, tokens: 600_000 },
    { wallet: middle.address, tokens: 300_000 },
    { wallet: small.address, tokens: 1 },
  ];
  await seedStakes(service.sql, vaultId, stakes, new Date(Date.now() - 60_000));
  return { vaultId, custody: row.custody, vaultKeyHash: row.key, big, middle, small };
}

export type VaultWithCustody = Awaited<ReturnType<typeof vaultWithCustody>>;

export interface AssetName {
  readonly policy_id: string;
  readonly asset_name: string;
}

/** Puts a new NFT worth 500 ADA, with the given ADA, into custody as if a settlement had delivered it; returns the NFT's name. */
export async function addCustodyNft(
  service: ApiService,
  { vaultId, custody }: Pick<VaultWithCustody, 'vaultId' | 'custody'>,
  ada = 2,
): Promise<AssetName> {
  const asset = await mintNft(service, custody, ada);
  const { txHash } = asset;
  await recordTransaction(service, vaultId, txHash, 'deliver');
  await recordHeldAsset(service, vaultId, asset.named);
  return asset.named;
}

/** Puts ADA into custody as if a transaction of the given kind had; the default kind is what a settlement keeps for reclaimed deposits. */
export async function addCustodyAda(
  service: ApiService,
  { vaultId, custody }: VaultWithCustody,
  ada: number,
  kind = 'liquidity',
): Promise<void> {
  const { txHash } = await service.ledger.faucet({ address: custody, lovelace: String(ada * ADA) });
  await service.ledger.mine();
  await recordTransaction(service, vaultId, txHash, kind);
}

/** Gives an address a new NFT worth 500 ADA, with the given ADA. */
export async function mintNft(service: ApiService, address: string, ada: number) {
  const name = `Villa ${randomUUID().slice(0, 8)}`;
  const assets = [{ assetNameHex: toHex(name), quantity: '1' }];
  const { txHash, policyId } = await service.ledger.faucet({ address, lovelace: String(ada * ADA), assets });
  await service.ledger.mine();
  const named = { policy_id: policyId, asset_name: name };
  await setMarketPrice(service, named, 500);
  return { txHash, named };
}

/** Sets the market price of an asset in ADA, optionally as of an earlier time. */
export function setMarketPrice(
  { ledger }: ApiService,
  { policy_id: policyId, asset_name: name }: AssetName,
  ada: number,
  asOf?: string,
) {
  return ledger.setPrice({
    policyId,
    assetNameHex: toHex(name),
    lovelace: String(ada * ADA),
    ...(asOf !== undefined && { asOf }),
  });
}

const toHex = (name: string) => Buffer.from(name).toString('hex');

const noMetadata = { name: '', description: '', imageUrl: '', attributes: {} };

/** Records an asset as held by the vault, without a transaction on the ledger. */
export async function recordHeldAsset({ sql }: ApiService, vaultId: string, named: AssetName): Promise<void> {
  await sql.run`insert into assets (id, vault_id, type, policy_id, asset_name, quantity, decimals, valuation_method,
       metadata,
       added_by, status, price, priced_at, price_source, counted_price, counted_at, counted_source, delivery_deposit,
       add_transaction_id, locked_at, added_at, updated_at)
     select ${randomUUID()}, ${vaultId}, 'NFT', ${named.policy_id}, ${toHex(named.asset_name)}, 1, 0, 'floor_price', ${JSON.stringify(noMetadata)}, ${newWallet().address}, 'LOCKED', 500000000, now(), 'test', 500000000, now(), 'test', 0,
       (select id from chain_transactions limit 1), now(), now(), now()`;
}

/** Creates a proposal whose execution phase has begun, as if everybody had voted for it. */
export async function createPassedProposal(
  { api, sql }: ApiService,
  { vaultId, big }: VaultWithCustody,
  details: object,
  required = 2,
): Promise<string> {
  const answer = await api.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, {
    proposer: big.address,
    proposal_details: { title: 'A plan', description: 'Do it', ...details },
    governance_thresholds: { required_cosigners: required },
  });
  expect(answer).toMatchObject({ status: 201 });
  await sql.run`update proposals set status = 'PASSED', voting_starts_at = now() - interval '3 h',
       voting_ends_at = now() - interval '2 h', lock_ends_at = now() - interval '1 h',
       execution_ends_at = now() + interval '40 h' where id = ${answer.body.proposal_id}`;
  return answer.body.proposal_id;
}

/** A purchase of a new NFT for 100 ADA of custody, frozen and signed by everyone. */
export async function createSignedPurchase(
  service: ApiService,
  vault: VaultWithCustody,
  seller: ReturnType<typeof newWallet>,
) {
  await addCustodyNft(service, vault, 900);
  const { named } = await mintNft(service, seller.address, 2);
  const terms = { price: 100 * ADA, seller_address: seller.address };
  const id = await createPassedProposal(service, vault, { action_type: 'buy_asset', affected_assets: [named], terms });
  const body = {
    executing_user: vault.big.address,
    cosigners: [vault.big.address, vault.middle.address],
    action: { type: 'buy_asset', details: { ...named, price: 100 * ADA } },
  };
  const answer = await service.api.post<ExecutionResponse>(`/proposals/${id}/executions`, body);
  expect(answer).toMatchObject({ status: 201 });
  const { transaction } = answer.body.data;
  for (const signer of [vault.big, vault.middle, seller]) {
    const witnessSet = signer.sign(transaction.unsignedTx);
    const path = `/transactions/${transaction.hash}/witnesses`;
    expect(await service.api.post(path, { witnessSet })).toMatchObject({ status: 200 });
  }
  return { id, body, named, hash: transaction.hash };
}

interface ExecutionResponse {
  readonly data: { readonly transaction: { readonly hash: string; readonly unsignedTx: string } };
}
