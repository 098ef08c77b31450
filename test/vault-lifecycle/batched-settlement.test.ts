import { expect, test } from '@jest/globals';
import { testStack } from '../stack/test-stack.ts';
import { contribute, fundWallet, holdings, invest, person, waitForTransaction } from './participants.ts';
import { advance, waitForVaultStatus, createVault } from './vault-requests.ts';

const OWNERS = 20;
const ASSETS_EACH = 3;
const INVESTORS = 30;

test('a vault with many participants settles in several batches, exact to the last unit', async () => {
  await using stack = await testStack();
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
  await advance(stack, 7 * 86_400);
  const vault = await waitForVaultStatus(stack, vaultId, 'LOCKED');

  const { rows: plan } = await stack.sql.query<{ wallet: string; ft: string }>(
    'select wallet, sum(ft) as ft from entitlements where vault_id = $1 group by wallet',
    [vaultId],
  );
  expect(plan.length).toBeGreaterThan(OWNERS);
  const { rows: batches } = await stack.sql.query("select 1 from chain_transactions where kind = 'deliver'");
  expect(batches.length).toBeGreaterThan(1);
  const token = vault.fractionalization.tokenAddress;
  for (const { wallet, ft } of plan) expect((await holdings(stack, wallet)).get(token)).toBe(BigInt(ft));
  const custody = await holdings(stack, vault.contractAddress);
  expect([...custody.keys()].filter((unit) => policies.some((policy) => unit.startsWith(policy)))).toHaveLength(
    OWNERS * ASSETS_EACH,
  );
});
