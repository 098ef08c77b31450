import { verifyDataSignature } from '../../chain/keys/verify-data-signature.ts';
import { parseWalletAddress, type WalletAddress } from '../../chain/scripts/address.ts';
import type { NetworkId } from '../../chain/transaction.ts';
import { fieldError } from '../../domain/errors.ts';
import { cosignerAgreement, isAgreed } from '../../domain/rotation/cosigner-agreement.ts';
import type { Cosigners } from '../../domain/transaction/signatures.ts';
import type { AnnouncedRotation } from './request.ts';

/** A cosigner as the request names them. */
interface Named {
  readonly field: string;
  readonly wallet: WalletAddress;
  readonly signature: string | undefined;
  readonly key: string | undefined;
}

/**
 * The cosigners that a request names; `present` are those that the vault has. Each new one shows that they have their key, because a key
 * that nobody has would lock the custody, and as many present ones as have to sign agree, because they could not refuse later without
 * leaving the vault where it is. Throws INVALID_REQUEST, INVALID_ADDRESS, WRONG_NETWORK and INVALID_SIGNATURE.
 */
export function parseCosigners(
  { vaultId, cosigners = [], leavingCosigners = [], requiredCosigners }: AnnouncedRotation,
  present: Cosigners | null,
  networkId: NetworkId,
): Cosigners {
  const named = namedIn('cosigners', cosigners, networkId);
  const keyHashes = named.map(({ wallet }) => wallet.paymentKeyHash);
  const required = requiredCosigners ?? Math.min(present?.required ?? 1, keyHashes.length);
  if (new Set(keyHashes).size < keyHashes.length) throw refusal('cosigners', 'Two cosigners have the same key');
  if (required > keyHashes.length) throw refusal('requiredCosigners', 'More cosigners are required than are named');
  const agreement = cosignerAgreement(vaultId, { required, keyHashes });
  const asked = [...named, ...namedIn('leavingCosigners', leavingCosigners, networkId)];
  requireAgreements(agreement, asked, present, networkId);
  return { required, keyHashes };
}

function requireAgreements(
  agreement: string,
  asked: readonly Named[],
  present: Cosigners | null,
  networkId: NetworkId,
): void {
  const isPresent = ({ wallet }: Named) => present?.keyHashes.includes(wallet.paymentKeyHash) === true;
  const agreeing = asked.filter((one) => one.signature !== undefined || !isPresent(one));
  for (const one of agreeing) requireAgreement(agreement, one, networkId);
  const agreed = agreeing.map(({ wallet }) => wallet.paymentKeyHash);
  if (!isAgreed(present, agreed))
    throw refusal('cosigners', `At least ${present?.required ?? 0} of the present cosigners have to sign ${agreement}`);
}

function namedIn(
  list: string,
  wallets: readonly {
    readonly address: string;
    readonly signature?: string | undefined;
    readonly key?: string | undefined;
  }[],
  networkId: NetworkId,
): Named[] {
  return wallets.map(({ address, signature, key }, index) => {
    const field = `${list}.${index}`;
    return { field, wallet: parseWalletAddress(address, networkId, `${field}.address`), signature, key };
  });
}

function requireAgreement(
  payload: string,
  { wallet: { address }, signature = '', key = '', field }: Named,
  networkId: NetworkId,
): void {
  const signer = verifyDataSignature({ address, payload, signature, key }, networkId);
  if (typeof signer !== 'string') return;
  const message = `The wallet has to sign ${payload} (${signer.replaceAll('_', ' ')})`;
  throw fieldError('INVALID_SIGNATURE', `${field}.signature`, message);
}

function refusal(field: string, message: string) {
  return fieldError('INVALID_REQUEST', field, message);
}
