import { requireData } from '../../client/src/index.ts';
import type { Service } from './service.ts';

/** A simulated wallet with the name of its role in the demo. */
export interface Wallet {
  readonly name: string;
  readonly address: string;
}

/** A transaction for a wallet to sign. */
export interface UnsignedTransaction {
  readonly hash: string;
  readonly unsignedTx?: string | undefined;
}

export const print = (line: string) => process.stdout.write(`${line}\n`);
export const ada = (lovelace: number | string) => `${(Number(lovelace) / 1_000_000).toLocaleString('en')} ADA`;

/** Creates an empty wallet. */
export async function createWallet(service: Service, name: string): Promise<Wallet> {
  const { address } = await service.develop<{ address: string }>('wallets', {});
  return { name, address };
}

/** Gives a wallet 2,000 ADA and newly minted assets; returns their policy id. */
export async function fund(
  service: Service,
  { name, address }: Wallet,
  assets: readonly object[] = [],
): Promise<string> {
  const { policyId } = await service.develop<{ policyId: string }>('faucet', {
    address,
    lovelace: '2000000000',
    assets,
  });
  const given = `${ada(2_000_000_000)}${assets.length > 0 ? ` and ${assets.length} asset(s)` : ''}`;
  print(`${name} (${address}) got ${given} from the faucet`);
  return policyId;
}

/** Signs as a browser wallet would and submits the witness set. */
export async function sign(
  service: Service,
  signer: Wallet,
  { hash, unsignedTx: tx }: UnsignedTransaction,
): Promise<void> {
  const body = await service.develop<{ witnessSet: string }>(`wallets/${signer.address}/sign-tx`, { tx });
  requireData(await service.api.POST('/api/v1/transactions/{hash}/witnesses', { params: { path: { hash } }, body }));
}

/** Waits until a transaction of a vault is in a block, and prints what it did. */
export async function printWhenInBlock(service: Service, vaultId: string, hash: string, what: string): Promise<void> {
  const { data } = await service.event(
    { vaultId },
    'TRANSACTION_STATUS_CHANGED',
    (event) => event.transactionHash === hash && event.data.blockHeight !== null,
  );
  print(`${what}\n  by transaction ${hash} in block ${data.blockHeight}`);
}

/** Signs a transaction of a vault and waits for its block. */
export async function signAndWait(
  service: Service,
  vaultId: string,
  signer: Wallet,
  transaction: UnsignedTransaction,
  what: string,
): Promise<void> {
  await sign(service, signer, transaction);
  await printWhenInBlock(service, vaultId, transaction.hash, what);
}
