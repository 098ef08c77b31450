import { Address } from '@emurgo/cardano-serialization-lib-nodejs';
import { expect, test } from '@jest/globals';
import { apiService, newWallet } from '../vaults/api-service.ts';
import { lockedVault, proposalBody, errorResponse } from './staked-vault.ts';

/** Another address of the wallet: the same payment key with a stake key. */
const addressWithStakeKey = ({ keyHash }: ReturnType<typeof newWallet>, stakeKeyHash: string) =>
  Address.from_hex(`00${keyHash}${stakeKeyHash}`).to_bech32();

test('several staked addresses of one payment key count as one cosigner, because the key signs once', async () => {
  await using service = await apiService();
  const { api } = service;
  const [one, two] = [newWallet(), newWallet()];
  const addresses = [one.address, addressWithStakeKey(one, two.keyHash), two.address];
  const { vaultId } = await lockedVault(service, [200_000, 200_000, 200_000], (number) => addresses[number] ?? '');
  const proposing = (required: number) =>
    api.post<{ error: object }>(`/vaults/${vaultId}/proposals`, {
      ...proposalBody(one.address),
      governance_thresholds: { required_cosigners: required },
    });
  expect(await proposing(3)).toMatchObject(errorResponse(400, 'INVALID_REQUEST'));
  expect(await proposing(2)).toMatchObject({ status: 201 });
});
