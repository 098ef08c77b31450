import { Address } from '@emurgo/cardano-serialization-lib-nodejs';
import { expect, test } from '@jest/globals';
import { apiService, newWallet } from '../vaults/api-service.ts';
import { lockedVault, proposalBody, refusal } from './staked-vault.ts';

/** An address of the same payment key with a stake key beside it. */
const another = ({ keyHash }: ReturnType<typeof newWallet>, stakeKeyHash: string) =>
  Address.from_hex(`00${keyHash}${stakeKeyHash}`).to_bech32();

test('who has staked from several addresses of one key is one who may cosign, as he signs once', async () => {
  await using service = await apiService();
  const { api } = service;
  const [one, two] = [newWallet(), newWallet()];
  const addresses = [one.address, another(one, two.keyHash), two.address];
  const { vaultId } = await lockedVault(service, [200_000, 200_000, 200_000], (number) => addresses[number] ?? '');
  const asking = (required: number) =>
    api.post<{ error: object }>(`/vaults/${vaultId}/proposals`, {
      ...proposalBody(one.address),
      governance_thresholds: { required_cosigners: required },
    });
  expect(await asking(3)).toMatchObject(refusal(400, 'INVALID_REQUEST'));
  expect(await asking(2)).toMatchObject({ status: 201 });
});
