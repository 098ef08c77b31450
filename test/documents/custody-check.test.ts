import { expect, test } from '@jest/globals';
import { createSlowVault } from '../clock/slow-vault.ts';
import { fundedDevWallet } from '../dev/dev-wallet.ts';
import { testStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

interface Script {
  readonly type: string;
  readonly keyHash?: string;
  readonly scripts?: readonly Script[];
}

const keysOf = ({ keyHash, scripts = [] }: Script): string[] => [
  ...(keyHash === undefined ? [] : [keyHash]),
  ...scripts.flatMap(keysOf),
];

test('the steps of "Check the custody of a vault" lead from its address to its creation', async () => {
  await using stack = await testStack();
  const { query } = stack.ledger;
  const vaultId = await createSlowVault(stack, await fundedDevWallet(stack, 100));
  const { body } = await stack.api.get<{ data: { contractAddress: string; custodyScript: { address: string } } }>(
    `/vaults/${vaultId}`,
  );
  const { contractAddress, custodyScript } = body.data;

  const [first] = await until(() => query<{ tx_hash: string }[]>(`/addresses/${contractAddress}/transactions`), {
    what: 'the creation to be in a block',
  });
  const metadata = (await query<{ label: string; json_metadata: object }[]>(`/txs/${first?.tx_hash}/metadata`)) ?? [];
  const named = metadata.find(({ label }) => label === '721')?.json_metadata ?? {};
  expect(JSON.stringify(named)).toContain(vaultId);
  const { json = { type: 'none' } } = (await query<{ json: Script }>(`/scripts/${Object.keys(named)[0]}/json`)) ?? {};
  const [key = '', ...others] = keysOf(json);
  expect(others).toEqual([]);
  const label = Number.parseInt(key.slice(0, 12), 16);
  expect(await query(`/metadata/txs/labels/${label}`)).toMatchObject([{ tx_hash: first?.tx_hash }]);
  expect(custodyScript.address).toBe(contractAddress);
});
