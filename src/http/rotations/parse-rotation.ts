import type { z } from 'zod';
import { verifyDataSignature } from '../../chain/keys/verify-data-signature.ts';
import type { NetworkId } from '../../chain/transaction.ts';
import { parseWalletAddress, type WalletAddress } from '../../chain/scripts/address.ts';
import { fieldError } from '../../domain/errors.ts';
import { cosignerAgreement } from '../../domain/rotation/cosigner-agreement.ts';
import type { Cosigners } from '../../domain/transaction/signatures.ts';
import type { RotationRequest } from '../../services/rotations/announce-rotation.ts';
import type { RotationBody } from './request.ts';

type Body = z.output<typeof RotationBody> & { readonly vaultId: string };

/**
 * What a request asks for; `present` are the cosigners that the vault has. Throws INVALID_REQUEST, INVALID_ADDRESS, WRONG_NETWORK and
 * INVALID_SIGNATURE.
 */
export function parseRotation(body: Body, present: Cosigners | null, networkId: NetworkId): RotationRequest {
  const { vaultId, reason, newKey, compromised: isUrgent } = body;
  requireConsistent(body);
  const cosigners = body.cosigners ? parseCosigners(body, body.cosigners, present, networkId) : null;
  return { vaultId, reason, newKey, isUrgent, cosigners };
}

function requireConsistent({ newKey, cosigners, requiredCosigners, compromised }: Body): void {
  if (!newKey && !cosigners) throw refusal('newKey', 'Nothing would change');
  if (!newKey && compromised) throw refusal('newKey', 'A compromised key has to be replaced');
  if (!cosigners && requiredCosigners !== undefined) throw refusal('requiredCosigners', 'Name the cosigners, too');
  if (cosigners && compromised) throw refusal('cosigners', 'Cosigners change with notice only');
}

function refusal(field: string, message: string) {
  return fieldError('INVALID_REQUEST', field, message);
}

function parseCosigners(
  { vaultId, requiredCosigners }: Body,
  named: NonNullable<Body['cosigners']>,
  present: Cosigners | null,
  networkId: NetworkId,
): Cosigners {
  const wallets = named.map(({ address }, index) =>
    parseWalletAddress(address, networkId, `cosigners.${index}.address`),
  );
  const keyHashes = wallets.map(({ paymentKeyHash }) => paymentKeyHash);
  if (new Set(keyHashes).size < keyHashes.length) throw refusal('cosigners', 'Two cosigners have the same key');
  const required = requiredCosigners ?? Math.min(present?.required ?? 1, keyHashes.length);
  if (required > keyHashes.length) throw refusal('requiredCosigners', 'More cosigners are required than are named');
  const agreement = cosignerAgreement(vaultId, { required, keyHashes });
  for (const [index, wallet] of wallets.entries()) {
    if (present?.keyHashes.includes(wallet.paymentKeyHash)) continue;
    requireAgreement(agreement, wallet, { ...named[index], index }, networkId);
  }
  return { required, keyHashes };
}

/** A key that nobody has would lock the custody, so each new cosigner shows that they have theirs. */
function requireAgreement(
  payload: string,
  { address }: WalletAddress,
  {
    signature = '',
    key = '',
    index,
  }: { readonly signature?: string | undefined; readonly key?: string | undefined; readonly index: number },
  networkId: NetworkId,
): void {
  const signer = verifyDataSignature({ address, payload, signature, key }, networkId);
  if (typeof signer !== 'string') return;
  const message = `The wallet has to sign ${payload} (${signer.replaceAll('_', ' ')})`;
  throw fieldError('INVALID_SIGNATURE', `cosigners.${index}.signature`, message);
}
