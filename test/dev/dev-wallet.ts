import type { TestStack } from '../stack/test-stack.ts';
import { readUnsigned } from '../vault-lifecycle/participants.ts';

export interface DevWallet {
  readonly address: string;
  readonly stakeAddress: string;
}

/** Creates a simulated wallet with ADA and test assets over REST. */
export async function fundedDevWallet(
  { root }: Pick<TestStack, 'root'>,
  ada: number,
  assets: Readonly<Record<string, number>> = {},
) {
  const { status, body: wallet } = await root.post<DevWallet>('/dev/wallets');
  if (status !== 201) throw new Error(`no wallet: ${JSON.stringify(wallet)}`);
  const given = await root.post<{ policyId: string }>('/dev/faucet', {
    address: wallet.address,
    lovelace: `${ada}000000`,
    assets: Object.entries(assets).map(([assetName, quantity]) => ({ assetName, quantity })),
  });
  if (given.status !== 200) throw new Error(`no gift: ${JSON.stringify(given.body)}`);
  return { ...wallet, policyId: given.body.policyId };
}

/** Signs a transaction of the service with the wallet and submits the signature. */
export async function signAndSend(
  { root, api }: Pick<TestStack, 'root' | 'api'>,
  { address }: Pick<DevWallet, 'address'>,
  transaction: Parameters<typeof readUnsigned>[0],
) {
  const { hash, unsignedTx: tx } = readUnsigned(transaction);
  const signed = await root.post<{ witnessSet: string }>(`/dev/wallets/${address}/sign-tx`, { tx });
  if (signed.status !== 200) throw new Error(`not signed: ${JSON.stringify(signed.body)}`);
  const taken = await api.post(`/transactions/${hash}/witnesses`, signed.body);
  if (taken.status !== 200) throw new Error(`not taken: ${JSON.stringify(taken.body)}`);
}
