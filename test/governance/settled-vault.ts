import { contribute, furnish, invest, type Person, reaches } from '../vault-lifecycle/participants.ts';
import { advance, becomes, createVault, type VaultRead, type Wishes } from '../vault-lifecycle/vault-requests.ts';
import type { TestStack } from '../stack/test-stack.ts';

const DAY = 86_400;

interface Members {
  readonly contributor: Person;
  readonly investor: Person;
}

/** A vault that has lived its windows and holds one NFT, its tokens shared between one contributor and one investor. */
export async function settledVault(
  stack: Pick<TestStack, 'api' | 'root' | 'ledger' | 'sql'>,
  { contributor, investor }: Members,
  { asset, investment, vault }: Wishes = {},
): Promise<VaultRead> {
  const creation = createVault(stack, contributor.address, {
    asset: { asset_window_duration: '01:00:00', ...asset },
    investment: { investment_window_duration: '24h', ...investment },
    ...(vault && { vault }),
  });
  const furnishing = Promise.all([
    furnish(stack, contributor, { ada: 200, assets: { Villa: 1 } }),
    furnish(stack, investor, { ada: 1000 }),
  ]);
  const vaultId = await creation;
  const [policyId] = await furnishing;
  await stack.ledger.setPrice({ policyId, lovelace: '500000000' });
  await becomes(stack, vaultId, 'ACTIVE');
  const [given, invested] = await Promise.all([
    contribute(stack, vaultId, contributor, { policyId, name: 'Villa' }),
    invest(stack, vaultId, investor, 300_000_000),
  ]);
  for (const { hash } of [given, invested]) await reaches(stack, hash, ['confirmed', 'final']);
  await advance(stack, DAY);
  return becomes(stack, vaultId, 'LOCKED');
}
