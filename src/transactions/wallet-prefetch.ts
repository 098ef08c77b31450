import type { NetworkState } from '../cardano/ledger/network-state.ts';
import type { Ledger } from '../cardano/ledger/ledger.ts';
import { readWalletAddress } from '../cardano/scripts/address.ts';
import type { Unit, Utxo } from '../cardano/transaction.ts';
import type { Actor } from '../access/actor.ts';
import type { ServiceContext } from '../context.ts';
import { requireAsNamed } from './require-as-named.ts';

/** What was fetched, before the unit of work, to build a transaction that a wallet pays for. */
export interface WalletPrefetch {
  readonly chain: NetworkState;
  /** Of the wallet; all at addresses of payment keys. */
  readonly utxos: readonly Utxo[];
}

type Context = Pick<ServiceContext, 'networkState' | 'ledger' | 'networkId'>;

/** A request must not take all of the ledger's capacity. */
const READ_AT_ONCE = 5;
/** A wallet with more used addresses or more UTxOs names those that it wants to spend. */
const MAX_STAKE_ADDRESSES = 100;
const MAX_UTXOS = 1_000;

/**
 * Reads what a wallet can pay with, and where it holds `units`: at its address, or whatever else the request names of it. Throws
 * UTXO_NOT_ON_LEDGER and LEDGER_UNAVAILABLE.
 */
export async function prefetchWallet(
  context: Context,
  { address, funds }: Pick<Actor, 'address' | 'funds'>,
  units: readonly Unit[] = [],
): Promise<WalletPrefetch> {
  const { ledger, networkState, networkId } = context;
  const addresses = async () => {
    if (!funds) return [address];
    if (funds.kind === 'utxos') return funds.utxos.map((utxo) => utxo.address);
    const found = await ledger.stakeAddresses(funds.address, MAX_STAKE_ADDRESSES);
    return [address, ...found.filter((one) => typeof readWalletAddress(one, networkId) !== 'string')];
  };
  const [chain, utxos] = await Promise.all([networkState(), addresses().then((all) => utxosAt(ledger, all, units))]);
  return { chain, utxos: funds?.kind === 'utxos' ? requireAsNamed(funds.utxos, utxos) : utxos };
}

/** Reads addresses until enough is found: a stake address can name a hundred, of a stranger too, each with a thousand UTxOs. */
async function utxosAt(ledger: Ledger, addresses: readonly string[], units: readonly Unit[]): Promise<Utxo[]> {
  const found: Utxo[] = [];
  const left = [...new Set(addresses)];
  while (left.length > 0 && found.length < MAX_UTXOS) {
    const batch = left.splice(0, READ_AT_ONCE).map((address) => ledger.walletUtxos(address, units));
    found.push(...(await Promise.all(batch)).flat());
  }
  return found;
}
