import { verifyDataSignature } from './verify-data-signature.ts';
import { fieldError } from '../../platform/errors/errors.ts';
import { type SignedVote, type VoteSignature, voteMessage } from '../../votes/rules/vote.ts';
import type { NetworkId } from '../transaction.ts';

/** What a body may say of a signature; all of it or nothing. */
interface Claim {
  readonly nonce?: string | undefined;
  readonly signature?: string | undefined;
  readonly key?: string | undefined;
}

interface VoteToVerify extends Omit<SignedVote, 'nonce'> {
  readonly voter: { readonly address: string };
}

/** The voter's own signature of this vote, when there is one. Raises INVALID_SIGNATURE. */
export function verifyVoteSignature(
  { nonce, signature, key }: Claim,
  { voter: { address }, ...vote }: VoteToVerify,
  { networkId }: { readonly networkId: NetworkId },
): VoteSignature | null {
  if (nonce === undefined || signature === undefined || key === undefined) return null;
  const payload = voteMessage({ ...vote, nonce });
  const signer = verifyDataSignature({ address, payload, signature, key }, networkId);
  if (typeof signer === 'string') {
    const message = `The wallet has to sign ${payload} (${signer.replaceAll('_', ' ')})`;
    throw fieldError('INVALID_SIGNATURE', 'signature', message);
  }
  return { nonce, signature: signature.toLowerCase(), key: key.toLowerCase() };
}
