import { verifyDataSignature } from '../../chain/keys/cip8.ts';
import { fieldError } from '../../domain/errors.ts';
import { type VoteSignature, voteMessage } from '../../domain/vote/vote.ts';
import type { ServiceContext } from '../context.ts';
import type { VoteInput } from './vote-input.ts';

/** What a body may say of a signature; all of it or nothing. */
interface Claim {
  readonly nonce?: string | undefined;
  readonly signature?: string | undefined;
  readonly key?: string | undefined;
}

/** The voter's own signature of this vote, when there is one. Raises INVALID_SIGNATURE. */
export function verifyVoteSignature(
  { nonce, signature, key }: Claim,
  { proposalId, voter: { address }, decision, amount }: Pick<VoteInput, 'proposalId' | 'voter' | 'decision' | 'amount'>,
  { networkId }: Pick<ServiceContext, 'networkId'>,
): VoteSignature | null {
  if (nonce === undefined || signature === undefined || key === undefined) return null;
  const payload = voteMessage({ proposalId, decision, amount, nonce });
  const signer = verifyDataSignature({ address, payload, signature, key }, networkId);
  if (typeof signer === 'string') {
    const message = `The wallet has to sign ${payload} (${signer.replaceAll('_', ' ')})`;
    throw fieldError('INVALID_SIGNATURE', 'signature', message);
  }
  return { nonce, signature: signature.toLowerCase(), key: key.toLowerCase() };
}
