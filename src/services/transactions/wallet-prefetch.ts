import type { ChainFacts } from '../../chain/ledger/network-state.ts';
import type { Utxo } from '../../chain/transaction.ts';
import type { ApiContext } from '../../http/server/context.ts';

/** What was fetched, before the unit of work, to build a transaction that a wallet pays for. */
export interface WalletFacts {
  readonly chain: ChainFacts;
  /** Of the wallet. */
  readonly utxos: readonly Utxo[];
}

/** Reads what a wallet can pay with. Raises LEDGER_UNAVAILABLE. */
export async function gatherWallet({ chainFacts, ledger }: ApiContext, address: string): Promise<WalletFacts> {
  const [chain, utxos] = await Promise.all([chainFacts(), ledger.utxos(address)]);
  return { chain, utxos };
}
