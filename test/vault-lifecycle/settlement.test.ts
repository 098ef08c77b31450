import { expect, test } from '@jest/globals';
import { scriptAddress } from '../../src/cardano/scripts/address.ts';
import { liquidityScript } from '../../src/cardano/scripts/vault-scripts.ts';
import { referenceUnit } from '../../src/cardano/tokens/fractional-token.ts';
import { expectBooks } from '../books/expect-books.ts';
import { expectWalletEvents } from '../events/wallet-events.ts';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { planOnLedger } from './committed-plan.ts';
import { contribute, fundWallet, holdings, invest, person, waitForTransaction } from './participants.ts';
import { leave, type OwnerScript } from './leave.ts';
import { advance, advanceToBefore, waitForVaultStatus, createVault, readVault } from './vault-requests.ts';

const DAY = 86_400;
const OWNERS = 20;
const ASSETS_EACH = 3;
const INVESTORS = 30;

interface Entitlement {
  readonly depositId: string;
  readonly wallet: string;
  readonly ft: string;
  readonly lovelace: string;
}

const stackOfFile = fileStack();
const isOfDeposits = ({ type }: { type: string }) => type.startsWith('DEPOSITS');

test('three contributors and four investors receive exactly their entitlements on the ledger', async () => {
  const stack = stackOfFile();
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
  const setGoldPrice = (lovelace: string) =>
    stack.ledger.setPrice({ policyId: gold, assetNameHex: Buffer.from('Gold').toString('hex'), lovelace });
  // Investments are bound to 80 % of the value at their request: the price that counts later is a little lower only.
  await setGoldPrice('1050000');

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
  await setGoldPrice('1000000');

  const before = new Map<string, Map<string, bigint>>();
  for (const { address } of [alice, bob, carol, ...investors]) before.set(address, await holdings(stack, address));
  await advance(stack, 3 * DAY);
  expect((await readVault(stack, vaultId)).assetWindow.status).toBe('COMPLETED');
  await advance(stack, 2 * DAY);
  const vault = await waitForVaultStatus(stack, vaultId, 'LOCKED');

  const plan = await stack.sql.run<Entitlement>`select deposit_id as "depositId", wallet, ft, lovelace
      from entitlements where vault_id = ${vaultId}`;
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

  const transactions = await stack.sql.run<{ kind: string; block_height: string | null }>`select kind, block_height
      from chain_transactions where vault_id = ${vaultId}`;
  expect(transactions.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['create_vault', 'mint', 'deliver', 'liquidity']),
  );
  expect(transactions.every(({ block_height: height }) => Number(height) > 0)).toBe(true);
  const { remains } = await expectBooks(stack, vaultId);
  const reasons = ['in_custody', 'in_custody', 'in_custody', 'in_custody', 'liquidity_share'];
  expect(remains.map(({ reason }) => reason).sort()).toEqual([...reasons, 'reference_token', 'vault_token']);
  for (const { address } of [bob, carol, ...investors])
    await expectWalletEvents(stack, address, isOfDeposits, ['DEPOSITS_DELIVERED']);

  // A row that gives a contributor more is refused by a worker, as is one that was changed in any other way.
  const shift = (units: number) =>
    stack.sql.query('update entitlements set ft = ft + $2 where vault_id = $1 and wallet = $3', [
      vaultId,
      units,
      alice.address,
    ]);
  await shift(1);
  await expect(planOnLedger(stack, vaultId)).rejects.toMatchObject({
    details: { reason: 'the mint has committed to another plan' },
  });
  await shift(-1);
  const nameHeir = (address: string | null) =>
    stack.sql.query(
      `update vaults set termination = jsonb_strip_nulls(termination || jsonb_build_object('unclaimedLovelaceTo', $2::text))
        where id = $1`,
      [vaultId, address],
    );
  await nameHeir(alice.address);
  await expect(planOnLedger(stack, vaultId)).rejects.toMatchObject({
    details: { reason: 'the mint has committed to other terms' },
  });
  await nameHeir(null);
  expect((await planOnLedger(stack, vaultId)).shares.size).toBe(plan.length);
});

test('a vault with many participants settles in several batches, exact to the last unit', async () => {
  const stack = stackOfFile();
  const owners = Array.from({ length: OWNERS }, (_, position) => person(200 + position));
  // Every third contributor invests too.
  const investors = Array.from({ length: INVESTORS }, (_, position) => person(200 + 3 * position));
  const vaultId = await createVault(stack, person(200).address, { asset: { max_assets: OWNERS * ASSETS_EACH } });
  const names = Array.from({ length: ASSETS_EACH }, (_, number) => `Picture of the harbour, no. ${number}`);
  const policies: string[] = [];
  for (const [position, owner] of owners.entries()) {
    const assets = Object.fromEntries(names.map((name) => [`${name}/${position}`, 1]));
    policies.push(await fundWallet(stack, owner, { ada: 2000, assets }));
  }
  const others = investors.filter(({ address }) => !owners.some((owner) => owner.address === address));
  await Promise.all(others.map((investor) => fundWallet(stack, investor, { ada: 2000 })));
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  for (const name of names) {
    const sent = await Promise.all(
      owners.map((owner, position) =>
        contribute(stack, vaultId, owner, { policyId: policies[position] ?? '', name: `${name}/${position}` }),
      ),
    );
    for (const { hash } of sent) await waitForTransaction(stack, hash, ['confirmed', 'final']);
  }
  const invested = await Promise.all(
    investors.map((investor, position) => invest(stack, vaultId, investor, 500_000_001 + 7 * position)),
  );
  for (const { hash } of invested) await waitForTransaction(stack, hash, ['confirmed', 'final']);
  await advance(stack, 7 * DAY);
  const vault = await waitForVaultStatus(stack, vaultId, 'LOCKED');

  const plan = await stack.sql.run<{ wallet: string; ft: string }>`select wallet, sum(ft) as ft from entitlements
      where vault_id = ${vaultId} group by wallet`;
  expect(plan.length).toBeGreaterThan(OWNERS);
  const batches = await stack.sql.run`select 1 from chain_transactions
      where vault_id = ${vaultId} and kind = 'deliver'`;
  expect(batches.length).toBeGreaterThan(1);
  const token = vault.fractionalization.tokenAddress;
  for (const { wallet, ft } of plan) expect((await holdings(stack, wallet)).get(token)).toBe(BigInt(ft));
  const custody = await holdings(stack, vault.contractAddress);
  expect([...custody.keys()].filter((unit) => policies.some((policy) => unit.startsWith(policy)))).toHaveLength(
    OWNERS * ASSETS_EACH,
  );
});

test('a vault held until its settlement deadline refunds every deposit except one that its owner reclaimed', async () => {
  const stack = stackOfFile();
  const [owner, other, investor] = [person(61), person(62), person(63)];
  const vaultId = await createVault(stack, owner.address);
  const policyId = await fundWallet(stack, owner, { ada: 100, assets: { Orchard: 1 } });
  await fundWallet(stack, other, { ada: 100, assets: { Meadow: 1 } });
  await fundWallet(stack, investor, { ada: 500 });
  const { nowMs } = await stack.ledger.clock();
  await stack.ledger.setPrice({ policyId, lovelace: '100000000', asOf: new Date(nowMs).toISOString() });
  const orchard = await contribute(stack, vaultId, owner, { policyId, name: 'Orchard' });
  const deposits = [
    orchard,
    await contribute(stack, vaultId, other, { policyId, name: 'Meadow' }),
    await invest(stack, vaultId, investor, 300_000_000),
  ];
  for (const { hash } of deposits) await waitForTransaction(stack, hash, ['final']);
  await advanceToBefore(stack, 1800, await settlesBy(stack, vaultId));
  expect((await readVault(stack, vaultId)).holds).toMatchObject([{ reason: 'stale_price' }]);

  // T has passed on the clock of the ledger only.
  const { offsetMs } = await stack.ledger.clock();
  await stack.ledger.setClock(offsetMs + 3_600_000);
  const read = await stack.api.get<{ data: { ownerScript: OwnerScript } }>(
    `/vaults/${vaultId}/assets/${orchard.assetId}`,
  );
  const hash = await leave(stack, read.body.data.ownerScript, owner);
  await until(async () => isDeep(stack, hash), { what: 'the spend of the owner to be final' });
  await advance(stack, 60);
  const vault = await waitForVaultStatus(stack, vaultId, 'TERMINATED');

  expect(vault).toMatchObject({ termination: { reason: 'settlement_deadline' }, holds: [] });
  const told = await stack.sql.run`select data from outbox where vault_id = ${vaultId} and type = 'VAULT_FAILED'`;
  expect(told).toEqual([{ data: { reason: 'settlement_deadline' } }]);
  const assets = await stack.sql.run<{ status: string; reason: string }>`select status, release_reason as reason
      from assets where vault_id = ${vaultId} order by added_at`;
  expect(assets).toEqual([
    { status: 'RELEASED', reason: 'reclaimed' },
    { status: 'RELEASED', reason: 'refunded' },
  ]);
  const { body } = await stack.api.get<{ data: { investments: unknown[] } }>(`/vaults/${vaultId}/investments`);
  expect(body.data.investments).toMatchObject([{ status: 'REFUNDED', releaseReason: 'refunded' }]);
  const events = await stack.sql.run`select actor, transaction_hash as hash from outbox
      where vault_id = ${vaultId} and type = 'DEPOSIT_RECLAIMED'`;
  expect(events).toEqual([{ actor: owner.address, hash }]);
  const unit = (name: string) => policyId + Buffer.from(name).toString('hex');
  expect((await holdings(stack, owner.address)).get(unit('Orchard'))).toBe(1n);
  expect((await holdings(stack, other.address)).get(unit('Meadow'))).toBe(1n);
});

interface VaultWithSettlement {
  readonly settlement: { readonly figures: { readonly lpLovelace: string; readonly lpFt: string } };
}

async function settlementOf({ api }: TestStack, vaultId: string): Promise<VaultWithSettlement> {
  return (await api.get<{ data: VaultWithSettlement }>(`/vaults/${vaultId}`)).body.data;
}

/** Returns the address that holds only the liquidity share of this vault. */
async function liquidityAddressOf({ sql }: TestStack, vaultId: string): Promise<string> {
  const rows = await sql.run<{ vaultKeyHash: string }>`select vault_key_hash as "vaultKeyHash" from vaults
      where id = ${vaultId}`;
  return scriptAddress(liquidityScript({ vaultKeyHash: rows[0]?.vaultKeyHash ?? '' }), 0);
}

function amountOf(held: ReadonlyMap<string, bigint> | undefined, unit: string): bigint {
  return held?.get(unit) ?? 0n;
}

function sum(plan: readonly Entitlement[], wallet: string, what: 'ft' | 'lovelace'): bigint {
  return plan.filter((share) => share.wallet === wallet).reduce((total, share) => total + BigInt(share[what]), 0n);
}

async function settlesBy({ sql }: TestStack, vaultId: string): Promise<Date> {
  const rows = await sql.run<{ at: Date }>`select settles_by as at from vaults where id = ${vaultId}`;
  return rows[0]?.at ?? new Date(NaN);
}

async function isDeep({ ledger }: TestStack, hash: string): Promise<boolean> {
  const spend = await ledger.query<{ block_height: number }>(`/txs/${hash}`);
  const tip = await ledger.query<{ height: number }>('/blocks/latest');
  return spend !== null && (tip?.height ?? 0) >= spend.block_height + 3;
}
