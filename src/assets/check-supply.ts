import type { Ledger } from '../cardano/ledger/ledger.ts';
import { type AssetClass, isUnique, unitOf } from './rules/asset.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import { type ArrivingNft, recordAsFungible, setSupplyUnchecked } from './queries/arriving-nfts.ts';
import type { ServiceContext } from '../context.ts';

/**
 * Asks the ledger how many exist of an NFT that a vault receives: it becomes a CNT when there are more than one (design D42), and
 * is marked while the ledger cannot say. Returns why it cannot, or null.
 */
export async function checkSupply(
  { db, ledger }: Pick<ServiceContext, 'db' | 'ledger'>,
  nft: ArrivingNft,
): Promise<ServiceError | null> {
  const supply = await supplyOf(ledger, nft);
  if (supply instanceof ServiceError) {
    await setSupplyUnchecked(db, nft, true);
    return supply;
  }
  if (isUnique(supply)) await setSupplyUnchecked(db, nft, false);
  else await recordAsFungible(db, nft);
  return null;
}

/** The supply, or the LEDGER_UNAVAILABLE why it is unknown. A backend that does not know what lies in a vault lags behind. */
async function supplyOf(ledger: Ledger, asset: AssetClass): Promise<bigint | ServiceError> {
  const unit = unitOf(asset);
  const unknown = () => new ServiceError('LEDGER_UNAVAILABLE', { reason: `it does not know ${unit} yet` });
  try {
    return (await ledger.assetSupply(unit)) ?? unknown();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'LEDGER_UNAVAILABLE') return error;
    throw error;
  }
}
