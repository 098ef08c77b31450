import { z } from 'zod';
import type { BuiltTransaction } from '../../chain/transaction.ts';
import { type Instant, isoText } from '../../domain/units/instant.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import type { HistoryEntry } from '../../store/transaction-history.ts';
import type { TransactionSummary as StoredSummary } from '../../store/vault-transactions.ts';
import { TransactionKindEnum, TransactionStateEnum } from './enums.ts';
import { AmountText, Timestamp } from '../server/fields.ts';
import { transactionExample } from './examples.ts';

/** Of something that is anchored. */
export interface Anchored {
  readonly factId: string;
  readonly transactionHash: string;
}

const blockHeight = z.int().nullable().describe('Null while it is in no block');

/** The spec's `transaction` of a change that the platform signs itself. */
export const PlatformTransaction = z.object({
  tx_hash: z.string().describe('Final; read how far it is at `GET /api/v1/transactions/{hash}`'),
  status: TransactionStateEnum,
  block_height: blockHeight,
});

/** Where the inclusion proof of an anchored fact is read. */
export const ProofLink = z.string().describe('The path where its inclusion proof is read');

/** The spec's `transaction` of a change that is anchored, with where its proof is read. */
export const AnchorTransaction = PlatformTransaction.extend({
  proof: ProofLink.describe('The path where the inclusion proof of this change is read'),
});

/** The spec's `transaction`, with what a wallet needs to sign it (design D18). */
export const WalletTransaction = PlatformTransaction.extend({
  unsigned_tx: z.string().describe('CBOR hex for CIP-30 signTx (partial); absent when the platform signs').optional(),
  expires_at: Timestamp.describe('Signed and in a block by then, or never'),
  required_signers: z.array(z.string()).describe('Key hashes that have to sign, the platform’s included'),
});

/** A transaction of the service as a resource. */
export const TransactionResource = z
  .object({
    hash: z.string(),
    kind: TransactionKindEnum,
    vaultId: z.uuid().nullable().describe('Null where it is not about one vault'),
    status: TransactionStateEnum,
    blockHeight,
    error: z
      .string()
      .nullable()
      .describe(
        'Why it failed, expired, was rolled back or takes no more signatures, for people; null when nothing is wrong',
      ),
    replacedBy: z
      .string()
      .describe('Of an anchor that can no longer land: the hash that carries its facts now')
      .optional(),
    signer: z
      .enum(['wallet', 'platform'])
      .describe('wallet: who has to sign posts witnesses; platform: the platform alone signs'),
    wallet: z.string().nullable().describe('Whose operation it is; null where it is the platform’s or a whole vault’s'),
    fee: AmountText.describe('Lovelace'),
    expiresAt: Timestamp.describe('In a block by then, or never'),
    createdAt: Timestamp,
    updatedAt: Timestamp.describe('When its status last changed, or it was withdrawn'),
    unsignedTx: z
      .string()
      .describe('CBOR hex for CIP-30 signTx (partial), while signatures are missing and still taken')
      .optional(),
    multiSignature: z
      .object({
        hash: z.string().describe('What is signed: the hash of the transaction'),
        signatures: z.array(z.string()).describe('Ed25519 in hex, one for each of `signers`'),
        signers: z.array(z.string()).describe('Key hashes that have signed so far'),
        required: z.array(z.string()).describe('Every key hash that has to sign, the platform’s included'),
        missing: z.array(z.string()).describe('Key hashes of wallets that still have to sign'),
        threshold: z.int().describe('How many keys have to sign, the platform’s included'),
      })
      .describe('Counts keys, those of the platform too; that of an execution counts wallets alone'),
    history: z
      .array(
        z.object({
          status: TransactionStateEnum,
          at: Timestamp.describe('When the service noticed'),
          blockHeight,
          reason: z.string().nullable().describe('Of an end or a rollback, for people; else null'),
        }),
      )
      .describe('Every change of `status`, oldest first'),
  })
  .meta({ id: 'Transaction', examples: [transactionExample] });

/** A transaction in a list. */
export const TransactionSummary = z
  .object({
    hash: z.string(),
    kind: TransactionKindEnum,
    status: TransactionStateEnum,
    blockHeight,
    createdAt: Timestamp,
  })
  .meta({ id: 'TransactionSummary' });

/** A transaction that was built and recorded just now. */
export function presentBuilt(built: BuiltTransaction, signer: 'wallet' | 'platform', expiresAt: Instant) {
  const shared = { tx_hash: built.hash, block_height: null, expires_at: isoText(expiresAt) };
  const required_signers = [...built.requiredSigners];
  if (signer === 'platform') return { ...shared, status: 'pending', required_signers } as const;
  return { ...shared, status: 'awaiting_signatures', unsigned_tx: built.cbor, required_signers } as const;
}

/** The anchor of a fact that was recorded just now. */
export function presentAnchor(hash: string) {
  return { tx_hash: hash, status: 'pending', block_height: null } as const;
}

/** As `presentAnchor`, where the answer does not say otherwise how the fact is proven. */
export function presentAnchored({ factId, transactionHash }: Anchored) {
  return { ...presentAnchor(transactionHash), proof: proofLink(factId) };
}

/** Where the proof of an anchored fact is read. */
export function proofLink(factId: string): string {
  return `/api/v1/anchors/${factId}/proof`;
}

export function presentTransaction(
  transaction: ChainTransaction,
  history: readonly HistoryEntry[],
): z.input<typeof TransactionResource> {
  const { witnesses, requiredSigners, platformSigners, state, error } = transaction;
  const signers = witnesses.map(({ keyHash }) => keyHash);
  const present = [...signers, ...platformSigners];
  return {
    hash: transaction.hash,
    kind: transaction.kind,
    vaultId: transaction.vaultId,
    status: state,
    blockHeight: transaction.blockHeight,
    error,
    signer: transaction.signer,
    wallet: transaction.wallet,
    fee: transaction.fee.toString(),
    expiresAt: isoText(transaction.expiresAt),
    createdAt: isoText(transaction.createdAt),
    updatedAt: isoText(transaction.updatedAt),
    // What was withdrawn takes no more signatures.
    ...(state === 'awaiting_signatures' && error === null && { unsignedTx: transaction.unsignedCbor }),
    multiSignature: {
      hash: transaction.hash,
      signatures: witnesses.map(({ signature }) => signature),
      signers,
      required: [...requiredSigners],
      missing: transaction.signer === 'wallet' ? requiredSigners.filter((keyHash) => !present.includes(keyHash)) : [],
      threshold: requiredSigners.length,
    },
    history: history.map(({ at, state: status, blockHeight, reason }) => ({
      status,
      at: isoText(at),
      blockHeight,
      reason,
    })),
  };
}

export function presentTransactionSummary({ hash, kind, state, blockHeight, createdAt }: StoredSummary) {
  return { hash, kind, status: state, blockHeight, createdAt: isoText(createdAt) };
}
