import { z } from 'zod';
import type { BuiltTransaction } from '../../chain/transaction.ts';
import { type Instant, isoText } from '../../domain/units/instant.ts';
import type { AnchoredChange } from '../../services/anchored-change.ts';
import { Timestamp } from '../../server/fields.ts';
import { TransactionStateEnum } from './enums.ts';

export const BlockHeight = z.int().nullable().describe('Null while the transaction is in no block');

/** The spec's `transaction`, for a change that the platform signs by itself. */
export const PlatformTransaction = z.object({
  tx_hash: z.string().describe('This hash does not change; read its status at `GET /api/v1/transactions/{hash}`'),
  status: TransactionStateEnum,
  block_height: BlockHeight,
});

/** The path of the inclusion proof of an anchored fact. */
export const ProofLink = z.string().describe('Path of its inclusion proof');

/** The spec's `transaction`, for an anchored change, with the path of its inclusion proof. */
export const AnchorTransaction = PlatformTransaction.extend({
  proof: ProofLink.describe('Path of the inclusion proof of this change'),
});

/** The spec's `transaction`, with what a wallet needs to sign it (design D18). */
export const WalletTransaction = PlatformTransaction.extend({
  unsigned_tx: z.string().describe('CBOR hex for CIP-30 signTx (partial); absent when the platform signs').optional(),
  expires_at: Timestamp.describe('After this time the transaction can no longer land'),
  required_signers: z.array(z.string()).describe('Key hashes that must sign, the platform’s included'),
});

/** A transaction that this request has built and recorded. */
export function presentBuilt(built: BuiltTransaction, signer: 'wallet' | 'platform', expiresAt: Instant) {
  const shared = { tx_hash: built.hash, block_height: null, expires_at: isoText(expiresAt) };
  const required_signers = [...built.requiredSigners];
  if (signer === 'platform') return { ...shared, status: 'pending', required_signers } as const;
  return { ...shared, status: 'awaiting_signatures', unsigned_tx: built.cbor, required_signers } as const;
}

/** A transaction that this request has recorded and that the platform signs. */
export function presentPending(hash: string) {
  return { tx_hash: hash, status: 'pending', block_height: null } as const;
}

/** The anchor of a fact that this request has recorded, with the path of the inclusion proof. */
export function presentAnchored({ factId, transactionHash }: AnchoredChange) {
  return { ...presentPending(transactionHash), proof: proofLink(factId) };
}

/** Path of the inclusion proof of an anchored fact. */
export function proofLink(factId: string): string {
  return `/api/v1/anchors/${factId}/proof`;
}
