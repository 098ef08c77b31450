import { contribute, fundWallet, invest, type Person, waitForTransaction } from '../vault-lifecycle/participants.ts';
import {
  advance,
  waitForVaultStatus,
  createVault,
  type VaultRead,
  type VaultOverrides,
} from '../vault-lifecycle/vault-requests.ts';
import type { TestStack } from '../stack/test-stack.ts';

const DAY = 86_400;

interface Members {
  readonly contributor: Person;
  readonly investor: Person;
}

/**
 * A settled vault that holds one NFT, or two, and whose tokens are shared between one contributor and one investor. No other vault of the
 * stack may hold NFTs of these names.
 */
export async function settledVault(
  stack: Pick<TestStack, 'api' | 'root' | 'ledger' | 'sql'>,
  { contributor, investor }: Members,
  {
    asset,
    investment,
    vault,
    nft = 'Villa',
    second,
    investedAda = 300,
  }: VaultOverrides & { readonly nft?: string; readonly second?: string; readonly investedAda?: number } = {},
): Promise<VaultRead> {
  const creation = createVault(stack, contributor.address, {
    asset: { asset_window_duration: '01:00:00', ...asset },
    investment: { investment_window_duration: '24h', ...investment },
    ...(vault && { vault }),
  });
  const funding = Promise.all([
    fundWallet(stack, contributor, { ada: 200, assets: { [nft]: 1, ...(second !== undefined && { [second]: 1 }) } }),
    fundWallet(stack, investor, { ada: investedAda + 700 }),
  ]);
  const vaultId = await creation;
  const [policyId] = await funding;
  await stack.ledger.setPrice({ policyId, lovelace: '500000000' });
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const [given, invested] = await Promise.all([
    contribute(stack, vaultId, contributor, { policyId, name: nft }),
    invest(stack, vaultId, investor, investedAda * 1_000_000),
  ]);
  for (const { hash } of [given, invested]) await waitForTransaction(stack, hash, ['confirmed', 'final']);
  if (second !== undefined) {
    const { hash } = await contribute(stack, vaultId, contributor, { policyId, name: second });
    await waitForTransaction(stack, hash, ['confirmed', 'final']);
  }
  await advance(stack, DAY);
  return waitForVaultStatus(stack, vaultId, 'LOCKED');
}
