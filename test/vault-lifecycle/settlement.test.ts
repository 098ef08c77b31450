import { expect, test } from '@jest/globals';
import { scriptAddress } from '../../src/chain/scripts/address.ts';
import { liquidityScript } from '../../src/chain/scripts/vault-scripts.ts';
import { referenceUnit } from '../../src/chain/tokens/fractional-token.ts';
import { testStack, type TestStack } from '../stack/test-stack.ts';
import { contribute, fundWallet, holdings, invest, person, waitForTransaction } from './participants.ts';
import { advance, waitForVaultStatus, createVault, readVault } from './vault-requests.ts';

const DAY = 86_400;

interface Entitlement {
  readonly depositId: string;
  readonly wallet: string;
  readonly ft: string;
  readonly lovelace: string;
}

test('three contributors and four investors receive exactly their entitlements on the ledger', async () => {
  await using stack = await testStack();
  const [alice, bob, carol, ...investors] = [1, 2, 3, 4, 5, 6, 7].map(person);
  if (!alice || !bob || !carol) throw new Error('a person is missing');
  const vaultId = await createVault(stack, alice.address, {
    asset: { asset_window_duration: '03:00:00' },
    investment: { investment_window_duration: '120h' },
  });

  const paintings = await fundWallet(stack, alice, { ada: 100, assets: { Dawn: 1, Dusk: 1 } });
  const house = await fundWallet(stack, bob, { ada: 100, assets: { House: 1 } });
  const gold = await fundWallet(stack, carol, { ada: 100, assets: { Gold: 250_000 } });
  await Promise.all(investors.map((investor) => fundWallet(stack, investor, { ada: 200_000 })));
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');

  const given = [
    await contribute(stack, vaultId, alice, { policyId: paintings, name: 'Dawn' }),
    await contribute(stack, vaultId, bob, { policyId: house, name: 'House' }),
    await contribute(stack, vaultId, carol, { policyId: gold, name: 'Gold', quantity: 120_000 }),
  ];
  await waitForTransaction(stack, given[0]!.hash, ['confirmed', 'final']);
  given.push(await contribute(stack, vaultId, alice, { policyId: paintings, name: 'Dusk' }));
  const amounts = [70_000_000_001, 90_000_000_007, 123_456_789_013, 150_000_000_000];
  const invested = await Promise.all(
    investors.map((investor, position) => invest(stack, vaultId, investor, amounts[position] ?? 0)),
  );
  for (const { hash } of [...given, ...invested]) await waitForTransaction(stack, hash, ['confirmed', 'final']);
  await stack.ledger.setPrice({
    policyId: gold,
    assetNameHex: Buffer.from('Gold').toString('hex'),
    lovelace: '1000000',
  });

  const before = new Map<string, Map<string, bigint>>();
  for (const { address } of [alice, bob, carol, ...investors]) before.set(address, await holdings(stack, address));
  await advance(stack, 3 * DAY);
  expect((await readVault(stack, vaultId)).assetWindow.status).toBe('COMPLETED');
  await advance(stack, 2 * DAY);
  const vault = await waitForVaultStatus(stack, vaultId, 'LOCKED');

  const { rows: plan } = await stack.sql.query<Entitlement>(
    'select deposit_id as "depositId", wallet, ft, lovelace from entitlements where vault_id = $1',
    [vaultId],
  );
  const token = vault.fractionalization.tokenAddress;
  for (const { address } of [alice, bob, carol, ...investors]) {
    const after = await holdings(stack, address);
    expect(amountOf(after, token)).toBe(sum(plan, address, 'ft'));
    const gained = amountOf(after, 'lovelace') - amountOf(before.get(address), 'lovelace');
    const returned = gained - sum(plan, address, 'lovelace');
    // The unused part of the delivery deposits is returned in addition to the entitlements.
    expect(returned).toBeGreaterThan(0n);
    expect(returned).toBeLessThan(6_000_000n);
  }
  const supply = await stack.ledger.query<{ quantity: string }>(`/assets/${token}`);
  expect(supply?.quantity).toBe(vault.fractionalization.tokenSupplyBaseUnits);
  const { figures } = (await settlementOf(stack, vaultId)).settlement;
  expect(await holdings(stack, await liquidityAddressOf(stack, vaultId))).toEqual(
    new Map([
      ['lovelace', BigInt(figures.lpLovelace)],
      [token, BigInt(figures.lpFt)],
    ]),
  );
  // 10 % of the FDV, half of it in FT; investors buy at A / 50 %.
  expect(figures).toMatchObject({ lpLovelace: '43345678902', lpFt: '50000000000' });
  const custody = await holdings(stack, vault.contractAddress);
  expect(custody.get(house + Buffer.from('House').toString('hex'))).toBe(1n);
  expect(custody.get(gold + Buffer.from('Gold').toString('hex'))).toBe(120_000n);
  expect(custody.get(referenceUnit(token.slice(0, 56), token.slice(64)))).toBe(1n);

  const { rows: transactions } = await stack.sql.query<{ kind: string; block_height: string | null }>(
    'select kind, block_height from chain_transactions where vault_id = $1',
    [vaultId],
  );
  expect(transactions.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['create_vault', 'mint', 'deliver', 'liquidity']),
  );
  expect(transactions.every(({ block_height: height }) => Number(height) > 0)).toBe(true);
});

interface VaultWithSettlement {
  readonly settlement: { readonly figures: { readonly lpLovelace: string; readonly lpFt: string } };
}

async function settlementOf({ api }: TestStack, vaultId: string): Promise<VaultWithSettlement> {
  return (await api.get<{ data: VaultWithSettlement }>(`/vaults/${vaultId}`)).body.data;
}

/** Returns the address that holds only the liquidity share of this vault. */
async function liquidityAddressOf({ sql }: TestStack, vaultId: string): Promise<string> {
  const { rows } = await sql.query<{ vaultKeyHash: string }>(
    'select vault_key_hash as "vaultKeyHash" from vaults where id = $1',
    [vaultId],
  );
  return scriptAddress(liquidityScript({ vaultKeyHash: rows[0]?.vaultKeyHash ?? '' }), 0);
}

function amountOf(held: ReadonlyMap<string, bigint> | undefined, unit: string): bigint {
  return held?.get(unit) ?? 0n;
}

function sum(plan: readonly Entitlement[], wallet: string, what: 'ft' | 'lovelace'): bigint {
  return plan.filter((share) => share.wallet === wallet).reduce((total, share) => total + BigInt(share[what]), 0n);
}
