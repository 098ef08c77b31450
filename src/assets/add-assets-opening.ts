import type { Utxo } from '../cardano/transaction.ts';
import { mayBeNft } from './rules/asset-params.ts';
import { freeUtxosReadAtFirst, letGoOfFunds, type NftClaims, nftClaimsRead } from './queries/deposit-locks.ts';
import { depositsRead, type DepositsRead } from './queries/held-windows.ts';
import { allOf } from '../platform/database/statements.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import type { Opening } from '../platform/database/unit-of-work.ts';
import type { AddAssetsInput, AddAssetsPrefetch } from './add-assets-prefetch.ts';

/** What was locked and read at the beginning of a unit of work that adds assets. */
export interface AddAssetsOpened {
  readonly deposits: DepositsRead;
  /** Of every asset that may be an NFT. */
  readonly claims: NftClaims;
  /** The wallet's UTxOs that no open transaction holds; null when they have not been asked for. */
  readonly free: readonly Utxo[] | null;
}

/** Locks and reads all that adding assets depends on, in one order for all requests and at once. */
export function openAddAssets(input: AddAssetsInput, prefetched: () => AddAssetsPrefetch): Opening<AddAssetsOpened> {
  return (tx) => {
    const { vaultId, assets, owner } = input;
    const prefetch = fetchedOrNull(prefetched);
    const nfts = assets.filter((asset, position) => {
      const market = prefetch?.market[position];
      return market !== undefined && mayBeNft(asset, market.supply, market.price);
    });
    // UTxOs that the request names may be promised to other transactions, which is asked for later.
    const free =
      prefetch && !owner.funds ? freeUtxosReadAtFirst(tx, owner.address, prefetch.utxos) : () => Promise.resolve(null);
    const read = allOf([depositsRead(tx, vaultId, 'asset'), nftClaimsRead(tx, nfts), free] as const);
    return async (connection) => {
      const [deposits, claims, utxos] = await read(connection);
      return { deposits, claims, free: utxos };
    };
  };
}

/** Null for what could not be fetched: `addAssets` throws why, after what is wrong with the vault. */
function fetchedOrNull(prefetched: () => AddAssetsPrefetch): AddAssetsPrefetch | null {
  try {
    return prefetched();
  } catch {
    return null;
  }
}

/** The free UTxOs, unless another attempt has to give way first: it may hold some, and its row is locked before the funds of a wallet. */
export async function fundsUnlessClaimed(
  { tx }: TransactionContext,
  { claims, free }: AddAssetsOpened,
): Promise<readonly Utxo[] | null> {
  const isClaimed = [...claims.values()].some((claimed) => claimed.length > 0);
  if (free === null || !isClaimed) return free;
  await letGoOfFunds(tx);
  return null;
}
