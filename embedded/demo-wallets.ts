import type { Rest } from './demo-rest.ts';

/** A simulated wallet, by the name it has in the story. */
export interface Wallet {
  readonly name: string;
  readonly address: string;
}

/** What a wallet is to sign. */
export interface ToSign {
  readonly tx_hash: string;
  readonly unsigned_tx: string;
}

export const print = (line: string) => process.stdout.write(`${line}\n`);
export const ada = (lovelace: number | string) => `${(Number(lovelace) / 1_000_000).toLocaleString('en')} ADA`;

/** Makes a wallet, empty at first. */
export async function wallet(rest: Rest, name: string): Promise<Wallet> {
  const { address } = await rest.post<{ address: string }>('/dev/wallets', {});
  return { name, address };
}

/** Gives 2,000 ADA and freshly minted assets; answers their policy. */
export async function furnish(rest: Rest, { name, address }: Wallet, assets: readonly object[] = []): Promise<string> {
  const { policyId } = await rest.post<{ policyId: string }>('/dev/faucet', {
    address,
    lovelace: '2000000000',
    assets,
  });
  const given = `${ada(2_000_000_000)}${assets.length > 0 ? ` and ${assets.length} asset(s)` : ''}`;
  print(`${name} (${address}) is given ${given} by the faucet`);
  return policyId;
}

/** Signs as a browser wallet would and hands the witness in. */
export async function sign(rest: Rest, signer: Wallet, { tx_hash: hash, unsigned_tx: tx }: ToSign): Promise<void> {
  const { witnessSet } = await rest.post<{ witnessSet: string }>(`/dev/wallets/${signer.address}/sign-tx`, { tx });
  await rest.post(`/api/v1/transactions/${hash}/witnesses`, { witnessSet });
}

/** Waits until a transaction is in a block, and tells what it did. */
export async function tellBlock(rest: Rest, hash: string, what: string): Promise<void> {
  const height = await rest.until(async () => {
    const { data } = await rest.get<{ data: { blockHeight: number | null } }>(`/api/v1/transactions/${hash}`);
    return data.blockHeight;
  });
  print(`${what}\n  by transaction ${hash} in block ${height}`);
}

/** Signs what the service has built for a wallet, and waits for the block. */
export async function signAndSettle(rest: Rest, signer: Wallet, transaction: ToSign, what: string): Promise<void> {
  await sign(rest, signer, transaction);
  await tellBlock(rest, transaction.tx_hash, what);
}
