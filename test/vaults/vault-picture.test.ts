import { expect, test } from '@jest/globals';
import { defaultImage } from '../../src/cardano/tokens/picture.ts';
import { apiService, newWallet } from './api-service.ts';
import { vaultBody } from './create-vault-body.ts';

/** The unsigned transaction that creates a new vault, in hex. */
async function creationOf(service: Awaited<ReturnType<typeof apiService>>): Promise<string> {
  const made = await service.api.post<{ vault_id: string }>('/vaults', vaultBody(newWallet().address));
  const rows = await service.sql.run<{ cbor: string }>`select unsigned_cbor as cbor from chain_transactions
      where kind = 'create_vault' and vault_id = ${made.body.vault_id}`;
  return rows[0]?.cbor ?? '';
}

const hexOf = (text: string) => Buffer.from(text).toString('hex');

test('the NFT of a vault pins the picture that the service serves', async () => {
  await using service = await apiService();
  const served = await service.root.get<string>('/images/vault.svg');
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8']);
  const picture = Buffer.from(served.body).toString('base64');
  expect(`data:image/svg+xml;base64,${picture}`).toBe(defaultImage);
  expect(await creationOf(service)).toContain(hexOf(defaultImage.slice(0, 64)));
});

test('a deployment may have a picture of its own', async () => {
  const image = 'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi';
  await using service = await apiService({ VAULT_IMAGE: image });
  expect(await creationOf(service)).toContain(hexOf(image.slice(0, 64)));
});
