import { z } from 'zod';
import type { Signer } from '../../executions/rules/cosigners.ts';
import { AmountText, Timestamp } from '../../platform/http/fields.ts';
import { isoText } from '../../platform/units/time.ts';
import type { TransactionSummary as StoredSummary } from '../queries/listed-transactions.ts';
import type { ChainTransaction } from '../queries/transactions.ts';
import type { TransactionView } from '../read-transactions.ts';
import { FinalityEnum, TransactionKindEnum, TransactionStateEnum } from './enums.ts';
import { transactionExample } from './examples.ts';
import { BlockHeight, OperationTransaction, presentRecorded } from './response.ts';
import { countSignatures, signingKeys, confirmationOf, type LedgerTip } from '../rules.ts';

const KeyHashes = z.array(z.string());

/** The signatures of a transaction, wherever it is presented. The platform's are shown and not counted. */
export const MultiSignature = z
  .object({
    hash: z.string().describe('Hash of the transaction. The keys sign this hash.'),
    signatures: z.array(z.string()).describe('Ed25519 signatures of wallets in hex, one for each of `signers`.'),
    signers: KeyHashes.describe('Key hashes of the wallets that have signed.'),
    threshold: z.int().describe('Same as `required`, with the name of the specification.'),
    required: z.int().describe('Number of wallet keys that must sign.'),
    present: z
      .int()
      .describe('Number of required signatures that were given. Extra signatures of cosigners do not count.'),
    missing: z.int().describe('`required` minus `present`.'),
    keys: z
      .array(
        z.object({
          keyHash: z.string(),
          wallet: z
            .string()
            .nullable()
            .describe(
              'Address of the wallet that was asked to sign with it. `null` for the platform and for other keys.',
            ),
          isPlatform: z.boolean().describe('Whether the platform signs with it, after the wallets.'),
          isRequired: z.boolean().describe('`false` for cosigners of whom only some must sign.'),
          hasSigned: z.boolean().describe('Whether its signature was given.'),
        }),
      )
      .describe('Every key that can sign, including the keys of the platform.'),
  })
  .meta({ id: 'MultiSignature' });

/** `named`: the wallets that were asked to sign. */
export function presentMultiSignature(
  transaction: ChainTransaction,
  named: readonly Signer[],
): z.input<typeof MultiSignature> {
  const { hash, witnesses, signedCbor } = transaction;
  const signed = new Set(witnesses.map(({ keyHash }) => keyHash));
  const count = countSignatures(transaction, signed);
  const wallets = new Map(named.map(({ keyHash, wallet }) => [keyHash, wallet]));
  return {
    hash,
    signatures: witnesses.map(({ signature }) => signature),
    signers: [...signed],
    threshold: count.required,
    ...count,
    keys: signingKeys(transaction).map(({ keyHash, isPlatform, isRequired }) => {
      // What the platform signs is stored as a whole.
      const hasSigned = isPlatform ? signedCbor !== null : signed.has(keyHash);
      return { keyHash, wallet: isPlatform ? null : (wallets.get(keyHash) ?? null), isPlatform, isRequired, hasSigned };
    }),
  };
}

const BlockHash = z.string().nullable().describe('Hash of its block. `null` while the transaction is in no block.');

/** How many confirmations a transaction has. */
export const Confirmations = z
  .int()
  .describe('Number of confirmations. 0 while the transaction is in no block, 1 in the latest block.');

const InputConflict = z
  .object({
    input: z
      .object({ txHash: z.string(), index: z.int().describe('Index of the output in that transaction.') })
      .describe('Output that both transactions spend.'),
    spentBy: z.string().describe('Hash of the transaction that has spent it.'),
    blockHeight: z.int().describe('Height of the block that contains this transaction.'),
    blockHash: z.string(),
  })
  .meta({ id: 'InputConflict' });

export const TransactionResource = OperationTransaction.omit({ proof: true })
  .extend({
    kind: TransactionKindEnum,
    blockHash: BlockHash,
    confirmations: Confirmations,
    finality: FinalityEnum,
    vaultId: z.uuid().nullable().describe('`null` if it does not belong to one vault.'),
    error: z
      .string()
      .nullable()
      .describe(
        'Reason why it failed, expired, was rejected, was rolled back or no longer accepts signatures, in words. Otherwise `null`.',
      ),
    conflict: InputConflict.nullable().describe(
      'For a transaction that failed because one of its inputs is spent: the final transaction that has spent it. Otherwise `null`.',
    ),
    replacedBy: z
      .string()
      .nullable()
      .describe(
        'For an anchor that can no longer reach a block: hash of the transaction that carries its facts now. Otherwise `null`.',
      ),
    signer: z
      .enum(['wallet', 'platform'])
      .describe('`wallet`: at least one wallet signs and posts witnesses. `platform`: only the platform signs.'),
    wallet: z
      .string()
      .nullable()
      .describe('Wallet of the operation. `null` for an operation of the platform or of a whole vault.'),
    fee: AmountText.describe('Lovelace'),
    expiresAt: Timestamp.describe('After this time, the transaction can no longer reach a block.'),
    createdAt: Timestamp,
    updatedAt: Timestamp.describe('Time at which its status last changed, or it was withdrawn.'),
    requiredSigners: z
      .array(z.string())
      .describe('Hashes of all keys that must sign, including the keys of the platform.'),
    multiSignature: MultiSignature,
    history: z
      .array(
        z.object({
          status: TransactionStateEnum,
          at: Timestamp.describe(
            'Time of its block, or of the block that made it final. For other changes: the time at which the service made them.',
          ),
          blockHeight: BlockHeight,
          blockHash: BlockHash.describe(
            '`null` while the transaction is in no block, and for changes that were recorded without block hashes.',
          ),
          reason: z.string().nullable().describe('Reason why it ended or was rolled back, in words. Otherwise `null`.'),
        }),
      )
      .describe('Every change of `status`, oldest first.'),
  })
  .meta({ id: 'Transaction', examples: [transactionExample] });

/** A transaction as a vault shows it. */
export const TransactionSummary = OperationTransaction.pick({ hash: true, status: true, blockHeight: true })
  .extend({
    kind: TransactionKindEnum,
    confirmations: z
      .int()
      .nullable()
      .describe(
        'Number of confirmations. 0 while the transaction is in no block. `null` when it is final. `readTransaction` continues to count.',
      ),
    finality: FinalityEnum,
    createdAt: Timestamp,
  })
  .meta({ id: 'TransactionSummary' });

export function presentTransaction({
  transaction,
  tip,
  history,
  replacedBy,
  named,
}: TransactionView): z.input<typeof TransactionResource> {
  return {
    ...presentRecorded(transaction),
    kind: transaction.kind,
    blockHash: transaction.blockHash,
    ...confirmationOf(transaction, tip),
    vaultId: transaction.vaultId,
    error: transaction.error ?? transaction.refusal,
    conflict: transaction.conflict,
    signer: transaction.signer,
    wallet: transaction.wallet,
    fee: transaction.fee.toString(),
    createdAt: isoText(transaction.createdAt),
    updatedAt: isoText(transaction.updatedAt),
    multiSignature: presentMultiSignature(transaction, named),
    history: history.map(({ at, state: status, blockHeight, blockHash, reason }) => {
      return { status, at: isoText(at), blockHeight, blockHash, reason };
    }),
    replacedBy,
  };
}

export function presentTransactionSummary(transaction: StoredSummary, tip: LedgerTip | null) {
  const { hash, kind, state, blockHeight, createdAt } = transaction;
  const { confirmations, finality } = confirmationOf(transaction, tip);
  // A number that changes with every block for ever would change the entity tag of the vault with it.
  const shown = finality === 'final' ? null : confirmations;
  return { hash, kind, status: state, blockHeight, confirmations: shown, finality, createdAt: isoText(createdAt) };
}
