import { expect, test } from '@jest/globals';
import { apiService, newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { proposalBody } from './staked-vault.ts';
import { addCustodyNft, vaultWithCustody } from './vault-with-custody.ts';
import { errorResponse } from '../stack/error-response.ts';

test('neither a new vault nor a decision to end one names the operator, whose transactions would never pay it', async () => {
  await using service = await apiService();
  const { address } = service.keys.operator;
  const refused = (code: string, field: string) => errorResponse(400, code, { errors: [{ code, field }] });
  const body = vaultBody(newWallet().address);
  for (const field of ['remaining_assets_to', 'unclaimed_lovelace_to']) {
    const made = await service.api.post('/vaults', { ...body, termination: { [field]: address } });
    expect(made).toMatchObject(refused('INVALID_VAULT_PARAMS', `termination.${field}`));
  }

  const vault = await vaultWithCustody(service);
  const asset = await addCustodyNft(service, vault);
  const { proposal_details: details, ...others } = proposalBody(vault.big.address);
  const terms = { remaining_assets: [{ ...asset, address }] };
  const proposed = await service.api.post(`/vaults/${vault.vaultId}/proposals`, {
    ...others,
    proposal_details: { ...details, terms },
  });
  const field = 'proposal_details.terms.remaining_assets.0.address';
  expect(proposed).toMatchObject(refused('INVALID_REQUEST', field));
});
