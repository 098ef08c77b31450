import { PlutusDatumSchema, Transaction } from '@emurgo/cardano-serialization-lib-nodejs';
import { expect, test } from '@jest/globals';
import { keys, operator, ttlSlot, context, vault, vaultTerms, verdict } from '../../../test/chain/sample-context.ts';
import { buildFtMint, buildVaultCreation } from '../build/settlement.ts';
import { defaultImage, vaultPage } from './picture.ts';
import { vaultNftMetadata } from './vault-nft.ts';

const page = vaultPage({ image: defaultImage, page: 'https://app.example/vaults/{id}' }, 'a-vault');

test('the NFT of a vault has the image that CIP-25 requires, in parts of at most 64 bytes', () => {
  const nft = { policyId: 'ab'.repeat(28), nameHex: '4e4654', name: 'NFT', image: defaultImage };
  const { image } = (vaultNftMetadata(nft)[721] as Record<string, Record<string, { image: string[] }>>)[nft.policyId]![
    'NFT'
  ]!;
  expect(image.join('')).toBe(defaultImage);
  expect(Math.max(...image.map((part) => Buffer.byteLength(part)))).toBeLessThanOrEqual(64);
});

test('the ledger accepts the creation of a vault and its tokens with picture and page', () => {
  const identity = {
    id: 'a-vault',
    name: 'Harbour Loft',
    terms: { ...vaultTerms, type: 'PUBLIC', valuationType: 'LBE' },
    contractAddress: vault.custodyAddress,
    policyKeyHash: vault.policyKey.keyHash,
  };
  for (const image of [defaultImage, `data:image/png;base64,${'A'.repeat(5900)}`]) {
    const created = buildVaultCreation(context, identity, { operator: operator(50_000_000n), image, ttlSlot });
    expect(verdict(created, [keys.operator, vault.policyKey])).toBe('accepted');
    const minted = buildFtMint(context, {
      operator: operator(200_000_000n),
      policy: vault.policy,
      policyKeyHash: vault.policyKey.keyHash,
      ft: {
        name: 'Harbour Loft',
        ticker: 'HARBO',
        decimals: 6,
        nameHex: '4c6f6674',
        supply: 1n,
        logo: image,
        url: page,
      },
      settlementAddress: vault.settlementAddress,
      custodyAddress: vault.custodyAddress,
      plan: { terms: 'ab'.repeat(32), root: 'cd'.repeat(32), shares: 20_000 },
      ttlSlot,
    });
    expect(verdict(minted, [keys.operator, vault.policyKey])).toBe('accepted');
    expect(describedOnChain(minted.cbor)).toMatchObject({
      name: 'Harbour Loft',
      ticker: 'HARBO',
      logo: image,
      url: page,
    });
  }
});

interface DatumJson {
  readonly fields: readonly [{ readonly map: readonly { readonly k: Bytes; readonly v: Partial<Bytes> }[] }];
}
interface Bytes {
  readonly bytes: string;
}

/** The texts in the datum of the reference token that a transaction mints (CIP-68). */
function describedOnChain(cbor: string): Record<string, string> {
  const datum = Transaction.from_hex(cbor).body().outputs().get(1).plutus_data();
  const json = JSON.parse(datum?.to_json(PlutusDatumSchema.DetailedSchema) ?? 'null') as DatumJson;
  const text = (hex: string) => Buffer.from(hex, 'hex').toString();
  return Object.fromEntries(json.fields[0].map.map(({ k, v }) => [text(k.bytes), text(v.bytes ?? '')]));
}

test('the page of a vault has its id', () => {
  expect(page).toBe('https://app.example/vaults/a-vault');
  expect(vaultPage({ image: defaultImage }, 'a-vault')).toBeUndefined();
});
