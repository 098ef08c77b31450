import type { NetworkState } from '../../chain/ledger/network-state.ts';
import type { Ledger } from '../../chain/ledger/ledger.ts';
import { readWalletAddress } from '../../chain/scripts/address.ts';
import type { WalletUtxo } from '../../chain/cbor/wallet-utxo.ts';
import type { Unit, Utxo } from '../../chain/transaction.ts';
import { type FieldProblem, ServiceError } from '../../domain/errors.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import type { Actor } from '../actor.ts';
import type { ServiceContext } from '../context.ts';

/** What was fetched, before the unit of work, to build a transaction that a wallet pays for. */
export interface WalletPrefetch {
  readonly chain: NetworkState;
  /** Of the wallet; all at addresses of payment keys. */
  readonly utxos: readonly Utxo[];
}

type Context = Pick<ServiceContext, 'networkState' | 'ledger' | 'networkId'>;

/** A wallet with more used addresses names its UTxOs. */
const MAX_STAKE_ADDRESSES = 100;

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
  return { chain, utxos: funds?.kind === 'utxos' ? asNamed(funds.utxos, utxos) : utxos };
}

async function utxosAt(ledger: Ledger, addresses: readonly string[], units: readonly Unit[]): Promise<Utxo[]> {
  const found: Utxo[] = [];
  const waiting = [...new Set(addresses)];
  // A few at once: a request must not take all of the ledger's capacity.
  while (waiting.length > 0) {
    const some = waiting.splice(0, 5).map((address) => ledger.walletUtxos(address, units));
    found.push(...(await Promise.all(some)).flat());
  }
  return found;
}

/** The UTxOs on the ledger that a wallet names. Throws UTXO_NOT_ON_LEDGER when one is missing there, or has another value. */
function asNamed(named: readonly WalletUtxo[], found: readonly Utxo[]): Utxo[] {
  const byRef = new Map(found.map((utxo) => [refText(utxo), utxo]));
  const wanted = named.map((claim, position) => {
    const utxo = byRef.get(refText(claim));
    if (utxo && isSame(claim, utxo)) return utxo;
    const message = 'The ledger has no such unspent output with this value';
    const problem: FieldProblem = { code: 'UTXO_NOT_ON_LEDGER', message, field: `utxos.${position}` };
    throw new ServiceError('UTXO_NOT_ON_LEDGER', { output: refText(claim), errors: [problem] });
  });
  return [...new Set(wanted)];
}

function isSame(claim: WalletUtxo, { address, lovelace, assets }: Utxo): boolean {
  const hasSameAssets =
    claim.assets.size === assets.size && [...claim.assets].every(([unit, quantity]) => assets.get(unit) === quantity);
  return claim.address === address && claim.lovelace === lovelace && hasSameAssets;
}
