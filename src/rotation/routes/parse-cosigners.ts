import { parseWalletAddress } from '../../cardano/scripts/address.ts';
import type { NetworkId } from '../../cardano/transaction.ts';
import { fieldError } from '../../platform/errors/errors.ts';
import type { NamedCosigner, RequestedCosigners } from '../agreed-cosigners.ts';
import type { AnnouncedRotation } from './request.ts';

/** The cosigners that a request names; null if the vault keeps its own. Throws INVALID_REQUEST, INVALID_ADDRESS and WRONG_NETWORK. */
export function parseCosigners(
  { cosigners, leavingCosigners = [], requiredCosigners: required }: AnnouncedRotation,
  networkId: NetworkId,
): RequestedCosigners | null {
  if (cosigners === undefined) return null;
  const named = namedIn('cosigners', cosigners, networkId);
  const keyHashes = named.map(({ wallet }) => wallet.paymentKeyHash);
  if (new Set(keyHashes).size < keyHashes.length) throw refusal('cosigners', 'Two cosigners have the same key');
  if (required !== undefined && required > keyHashes.length)
    throw refusal('requiredCosigners', 'More cosigners are required than are named');
  return { named, leaving: namedIn('leavingCosigners', leavingCosigners, networkId), required };
}

function namedIn(
  list: string,
  wallets: NonNullable<AnnouncedRotation['cosigners']>,
  networkId: NetworkId,
): NamedCosigner[] {
  return wallets.map(({ address, signature, key }, index) => {
    const field = `${list}.${index}`;
    return { field, wallet: parseWalletAddress(address, networkId, `${field}.address`), signature, key };
  });
}

function refusal(field: string, message: string) {
  return fieldError('INVALID_REQUEST', field, message);
}
