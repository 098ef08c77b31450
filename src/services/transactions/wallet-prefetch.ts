import type { NetworkState } from '../../chain/ledger/network-state.ts';
import type { Utxo } from '../../chain/transaction.ts';
import type { ServiceContext } from '../context.ts';

/** What was fetched, before the unit of work, to build a transaction that a wallet pays for. */
export interface WalletPrefetch {
  readonly chain: NetworkState;
  /** Of the wallet. */
  readonly utxos: readonly Utxo[];
}

/** Reads what a wallet can pay with, and where it holds `units`. Throws LEDGER_UNAVAILABLE. */
export async function prefetchWallet(
  { networkState, ledger }: Pick<ServiceContext, 'networkState' | 'ledger'>,
  address: string,
  units?: readonly string[],
): Promise<WalletPrefetch> {
  const [chain, utxos] = await Promise.all([networkState(), ledger.walletUtxos(address, units)]);
  return { chain, utxos };
}
