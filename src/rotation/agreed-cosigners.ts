import { verifyDataSignature } from '../cardano/keys/verify-data-signature.ts';
import type { WalletAddress } from '../cardano/scripts/address.ts';
import type { NetworkId } from '../cardano/transaction.ts';
import { fieldError } from '../platform/errors/errors.ts';
import { cosignerAgreement, isAgreed, type SignedAgreement } from './rules/cosigner-agreement.ts';
import type { Cosigners } from '../transactions/rules/signatures.ts';
import type { Vault } from '../vaults/queries/vaults.ts';

/** A cosigner as a request names them. */
export interface NamedCosigner {
  /** The field of the request. */
  readonly field: string;
  readonly wallet: WalletAddress;
  readonly signature: string | undefined;
  readonly key: string | undefined;
}

/** The cosigners that a vault is to have, each key once, and present ones who leave and agree. */
export interface RequestedCosigners {
  readonly named: readonly NamedCosigner[];
  readonly leaving: readonly NamedCosigner[];
  readonly required: number | undefined;
}

interface AgreedCosigners {
  readonly cosigners: Cosigners;
  readonly agreements: readonly SignedAgreement[];
}

/** A vault whose cosigners are to change, after so many rotations. */
interface ChangingVault {
  readonly vault: Pick<Vault, 'id' | 'contractAddress' | 'cosigners'>;
  readonly rotations: number;
}

/**
 * The cosigners of a request, with what was signed for them. Each new one shows that they have their key, because a key that nobody has
 * would lock the custody, and as many present ones as have to sign agree, because they could not refuse later without leaving the vault
 * where it is. Throws INVALID_REQUEST and INVALID_SIGNATURE.
 */
export function requireAgreedCosigners(
  { named, leaving, required: requested }: RequestedCosigners,
  { vault: { id: vaultId, contractAddress, cosigners: present }, rotations }: ChangingVault,
  networkId: NetworkId,
): AgreedCosigners {
  const keyHashes = named.map(({ wallet }) => wallet.paymentKeyHash);
  const cosigners = { required: requested ?? Math.min(present?.required ?? 1, keyHashes.length), keyHashes };
  const text = cosignerAgreement({ vaultId, contractAddress, rotations, cosigners });
  const isPresent = ({ wallet }: NamedCosigner) => present?.keyHashes.includes(wallet.paymentKeyHash) === true;
  const agreeing = [...named, ...leaving].filter((one) => one.signature !== undefined || !isPresent(one));
  const agreements = agreeing.map((one) => requireAgreement(text, one, networkId));
  const agreed = agreeing.map(({ wallet }) => wallet.paymentKeyHash);
  if (isAgreed(present, agreed)) return { cosigners, agreements };
  const message = `At least ${present?.required ?? 0} of the present cosigners have to sign ${text}`;
  throw fieldError('INVALID_REQUEST', 'cosigners', message);
}

function requireAgreement(
  payload: string,
  { wallet: { address }, signature = '', key = '', field }: NamedCosigner,
  networkId: NetworkId,
): SignedAgreement {
  const signer = verifyDataSignature({ address, payload, signature, key }, networkId);
  if (typeof signer !== 'string') return { address, signature, key };
  const message = `The wallet has to sign ${payload} (${signer.replaceAll('_', ' ')})`;
  throw fieldError('INVALID_SIGNATURE', `${field}.signature`, message);
}
