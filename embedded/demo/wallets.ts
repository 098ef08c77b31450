import type { Rest } from './rest.ts';

/** A simulated wallet with the name of its role in the demo. */
export interface Wallet {
  readonly name: string;
  readonly address: string;
}

/** A transaction for a wallet to sign. */
export interface UnsignedTransaction {
  readonly hash: string;
  readonly unsignedTx: string;
}

export const print = (line: string) => process.stdout.write(`${line}\n`);
export const ada = (lovelace: number | string) => `${(Number(lovelace) / 1_000_000).toLocaleString('en')} ADA`;

/** Creates an empty wallet. */
export async function createWallet(rest: Rest, name: string): Promise<Wallet> {
  const { address } = await rest.post<{ address: string }>('/dev/wallets', {});
  return { name, address };
}

/** Gives a wallet 2,000 ADA and newly minted assets; returns their policy id. */
export async function fund(rest: Rest, { name, address }: Wallet, assets: readonly object[] = []): Promise<string> {
  const { policyId } = await rest.post<{ policyId: string }>('/dev/faucet', {
    address,
    lovelace: '2000000000',
    assets,
  });
  const given = `${ada(2_000_000_000)}${assets.length > 0 ? ` and ${assets.length} asset(s)` : ''}`;
  print(`${name} (${address}) is given ${given} by the faucet`);
  return policyId;
}

/** Signs as a browser wallet would and submits the witness set. */
export async function sign(rest: Rest, signer: Wallet, { hash, unsignedTx: tx }: UnsignedTransaction): Promise<void> {
  const { witnessSet } = await rest.post<{ witnessSet: string }>(`/dev/wallets/${signer.address}/sign-tx`, { tx });
  await rest.post(`/api/v1/transactions/${hash}/witnesses`, { witnessSet });
}

/** Waits until a transaction is in a block, and prints what it did. */
export async function printWhenInBlock(rest: Rest, hash: string, what: string): Promise<void> {
  const height = await rest.until(async () => {
    const { data } = await rest.get<{ data: { blockHeight: number | null } }>(`/api/v1/transactions/${hash}`);
    return data.blockHeight;
  });
  print(`${what}\n  by transaction ${hash} in block ${height}`);
}

/** Signs a transaction of the service and waits for its block. */
export async function signAndWait(
  rest: Rest,
  signer: Wallet,
  transaction: UnsignedTransaction,
  what: string,
): Promise<void> {
  await sign(rest, signer, transaction);
  await printWhenInBlock(rest, transaction.hash, what);
}
