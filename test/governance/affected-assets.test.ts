import { expect, test } from '@jest/globals';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { executeBody } from './execution-requests.ts';
import { recordTransaction } from './record-transaction.ts';
import {
  type AssetName,
  type VaultWithCustody,
  vaultWithCustody,
  recordHeldAsset,
  createPassedProposal,
} from './vault-with-custody.ts';

const ADA = 1_000_000;
const NAME = 'Grain';

interface ProposalResponse {
  readonly data: { readonly settings: { readonly assets: readonly string[] } };
}
interface ExecutionResponse {
  readonly data: { readonly transaction: { readonly hash: string } };
}

/** Puts tokens into custody as if somebody had contributed them; returns their policy id and name. */
async function addContribution(
  service: ApiService,
  { vaultId, custody }: VaultWithCustody,
  tokens: number,
): Promise<AssetName> {
  const assets = [{ assetNameHex: Buffer.from(NAME).toString('hex'), quantity: String(tokens) }];
  const { txHash, policyId } = await service.ledger.faucet({ address: custody, lovelace: String(2 * ADA), assets });
  await service.ledger.mine();
  await recordTransaction(service, vaultId, txHash, 'deliver');
  const named = { policy_id: policyId, asset_name: NAME };
  await recordHeldAsset(service, vaultId, named);
  await service.sql.run`update assets set type = 'CNT', quantity = ${tokens}
      where vault_id = ${vaultId} and type = 'NFT'`;
  return named;
}

/** Number of tokens that a frozen transaction sends to an address. */
async function tokensSentTo({ sql }: ApiService, hash: string, address: string): Promise<number> {
  const rows = await sql.run<{ tokens: number }>`select sum(quantity::int)::int as tokens
       from chain_transactions t, jsonb_array_elements(t.outputs) as output,
       jsonb_each_text(output -> 'assets') as asset (unit, quantity)
       where t.hash = ${hash} and output ->> 'address' = ${address}`;
  return rows[0]?.tokens ?? 0;
}

test('the sale of a token with several contributions sells everything the vault held of it when the sale was proposed', async () => {
  await using service = await apiService();
  const pool = newWallet();
  const vault = await vaultWithCustody(service, { staking_addresses: [pool.address] });
  const { vaultId, big, middle } = vault;
  const named = await addContribution(service, vault, 20);
  await addContribution(service, vault, 30);
  const [{ rows: sold }, buyer] = [
    await service.sql.query<{ id: string }>('select id from assets where vault_id = $1', [vaultId]),
    await service.fundedWallet({}, String(9000 * ADA)),
  ];
  // The vault has staked more of the token elsewhere. That asset is not part of the sale until it is back.
  await addContribution(service, vault, 7);
  await service.sql.run`update assets set staking_address = ${pool.address}
      where vault_id = ${vaultId} and quantity = 7`;

  const terms = { price: 600 * ADA, buyer_address: buyer.address };
  const id = await createPassedProposal(service, vault, { action_type: 'sell_asset', affected_assets: [named], terms });
  const shown = (await service.api.get<ProposalResponse>(`/proposals/${id}`)).body.data.settings.assets;
  expect([...shown].sort()).toEqual(sold.map((row) => row.id).sort());

  await addContribution(service, vault, 5);
  const action = { type: 'sell_asset', details: { ...named, price: 600 * ADA } };
  const body = executeBody(big, [big, middle], action);
  const answer = await service.api.post<ExecutionResponse>(`/proposals/${id}/executions`, body);
  expect(answer).toMatchObject({ status: 201 });
  expect(await tokensSentTo(service, answer.body.data.transaction.hash, buyer.address)).toBe(50);
});
