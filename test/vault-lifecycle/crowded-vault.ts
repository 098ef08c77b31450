import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { mineUntil } from './mine-until.ts';
import { contribute, fundWallet, person, waitForTransaction } from './participants.ts';
import { seedInvestments } from './seed-investments.ts';
import { advanceToBefore, createVault, readVault } from './vault-requests.ts';

/** A vault of many investors whose mint waits for a block. Blocks are mined on request only. */
export async function crowdedVault(
  stack: TestStack,
  number: number,
  investors: number,
  wallets: Record<number, string> = {},
) {
  const owner = person(number);
  const name = `Crowd ${number}`;
  const vaultId = await createVault(stack, owner.address);
  const policyId = await mineUntil(stack, fundWallet(stack, owner, { ada: 100, assets: { [name]: 1 } }));
  await stack.ledger.setPrice({ policyId, lovelace: String(BigInt(investors) * 8_000_000n) });
  const { hash } = await contribute(stack, vaultId, owner, { policyId, name });
  await mineUntil(stack, waitForTransaction(stack, hash, ['final']));
  await seedInvestments(stack, vaultId, investors, wallets);
  const { investmentWindow } = await readVault(stack, vaultId);
  // What `advance` still waits for at its end makes blocks: it has to be over before the window ends, or it mines the mint.
  await advanceToBefore(stack, 30, investmentWindow.endTime);
  await until(async () => (await statesOf(stack, vaultId, 'mint')).includes('submitted'), {
    what: 'the mint to wait for a block',
  });
  return { vaultId, owner };
}

async function statesOf({ sql }: TestStack, vaultId: string, kind: string): Promise<string[]> {
  const query = 'select state from chain_transactions where vault_id = $1 and kind = $2';
  return (await sql.query<{ state: string }>(query, [vaultId, kind])).rows.map(({ state }) => state);
}
