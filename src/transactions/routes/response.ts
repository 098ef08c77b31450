import { z } from 'zod';
import type { AnchoredChange } from '../../anchoring/anchors.ts';
import { showCosigners } from '../../cardano/keys/witnesses.ts';
import type { BuiltTransaction } from '../../cardano/transaction.ts';
import { Timestamp } from '../../platform/http/fields.ts';
import { type Instant, isoText } from '../../platform/units/time.ts';
import type { ChainTransaction } from '../queries/transactions.ts';
import { TransactionStateEnum } from './enums.ts';
import type { Cosigners } from '../rules.ts';

export const BlockHeight = z
  .int()
  .nullable()
  .describe('Hash of its block. `null` while the transaction is in no block.');

/** The path of the inclusion proof of an anchored fact. */
export const ProofLink = z.string().describe('Path of its inclusion proof.');

/** The `transaction` of an operation. Operations of the specification return it as `SpecTransaction`. */
export const OperationTransaction = z
  .object({
    hash: z
      .string()
      .describe(
        'Hash of the transaction. It does not change. For its status, call `readTransaction` or follow TRANSACTION_STATUS_CHANGED events.',
      ),
    status: TransactionStateEnum,
    blockHeight: BlockHeight,
    unsignedTx: z
      .string()
      .describe('CBOR hex for CIP-30 `signTx` (partial). Only while signatures are missing and can be added.')
      .optional(),
    expiresAt: Timestamp.describe(
      'After this time, the transaction can no longer reach a block. Only if wallets sign it.',
    ).optional(),
    requiredSigners: z
      .array(z.string())
      .describe('Hashes of all keys that must sign, including the keys of the platform. Only if wallets sign it.')
      .optional(),
    proof: ProofLink.describe(
      'Path of the inclusion proof of this change. Only if the transaction anchors it.',
    ).optional(),
  })
  .meta({ id: 'OperationTransaction' });

const { hash, status, blockHeight, unsignedTx, expiresAt, requiredSigners, proof } = OperationTransaction.shape;

/** The `transaction` of an operation of the specification. */
export const SpecTransaction = z
  .object({
    tx_hash: hash,
    status,
    block_height: blockHeight,
    unsigned_tx: unsignedTx,
    expires_at: expiresAt,
    required_signers: requiredSigners,
    proof,
  })
  .meta({ id: 'SpecTransaction' });

type PresentedTransaction = z.input<typeof OperationTransaction>;

export function inSpecForm(presented: PresentedTransaction): z.input<typeof SpecTransaction> {
  return {
    tx_hash: presented.hash,
    status: presented.status,
    block_height: presented.blockHeight,
    unsigned_tx: presented.unsignedTx,
    expires_at: presented.expiresAt,
    required_signers: presented.requiredSigners,
    proof: presented.proof,
  };
}

/** A transaction that this request has built and recorded; `cosigners` are those of whom some suffice. */
export function presentBuilt(
  built: BuiltTransaction,
  signer: 'wallet' | 'platform',
  expires: Instant,
  cosigners: Cosigners | null = null,
): PresentedTransaction {
  if (signer === 'platform') return presentPending(built.hash);
  return {
    hash: built.hash,
    status: 'awaiting_signatures',
    blockHeight: null,
    unsignedTx: cosigners ? showCosigners(built.cbor, cosigners) : built.cbor,
    expiresAt: isoText(expires),
    requiredSigners: built.requiredSigners.filter((key) => !cosigners?.keyHashes.includes(key)),
  };
}

/** A transaction that this request has recorded and that the platform signs. */
export function presentPending(transactionHash: string): PresentedTransaction {
  return { hash: transactionHash, status: 'pending', blockHeight: null };
}

/** The anchor of a fact that this request has recorded, with the path of the inclusion proof. */
export function presentAnchored({ factId, transactionHash }: AnchoredChange): PresentedTransaction {
  return { ...presentPending(transactionHash), proof: proofLink(factId) };
}

/** A recorded transaction as it is now. */
export function presentRecorded(transaction: ChainTransaction) {
  const { state, error, unsignedCbor, cosigners } = transaction;
  // A withdrawn transaction takes no more signatures.
  const takesSignatures = state === 'awaiting_signatures' && error === null;
  return {
    hash: transaction.hash,
    status: state,
    blockHeight: transaction.blockHeight,
    expiresAt: isoText(transaction.expiresAt),
    requiredSigners: [...transaction.requiredSigners],
    ...(takesSignatures && { unsignedTx: cosigners ? showCosigners(unsignedCbor, cosigners) : unsignedCbor }),
  } satisfies PresentedTransaction;
}

/** Path of the inclusion proof of an anchored fact. */
export function proofLink(factId: string): string {
  return `/api/v1/anchors/${factId}/proof`;
}

/** The path parameter of operations on one transaction; a hash in upper case is accepted. */
export const TransactionParams = z.strictObject({
  hash: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'A transaction hash is 32 bytes in hex.')
    .transform((text) => text.toLowerCase()),
});
