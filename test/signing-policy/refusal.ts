import type { Utxo } from '../../src/cardano/transaction.ts';
import { ServiceError } from '../../src/platform/errors.ts';
import type { TransactionKind } from '../../src/transactions/rules.ts';
import { type DecodedTransaction, decodeTransaction } from '../../src/signing-policy/decoder.ts';
import type { EvidenceByKind } from '../../src/signing-policy/evidence.ts';
import { type SigningContext, evaluate } from '../../src/signing-policy/evaluate.ts';
import { context, keys, openSlot } from '../chain/sample-context.ts';
import { finish } from './finish.ts';
import type { Sample } from './samples.ts';

/** What a thief has changed: the transaction, its inputs, its evidence, or the rest of the request. */
interface Forgery<Kind extends TransactionKind> {
  readonly transaction?: DecodedTransaction;
  readonly spent?: readonly Utxo[];
  readonly evidence?: Partial<EvidenceByKind[Kind]>;
  readonly signing?: Partial<SigningContext>;
}

/** Why the worker does not sign a transaction; null when it signs. */
export function refusal<Kind extends TransactionKind>(
  kind: Kind,
  sample: Sample<Kind>,
  { transaction = decodeTransaction(sample.built.cbor), spent = sample.built.inputs, ...forged }: Forgery<Kind> = {},
): string | null {
  const signing = {
    hash: transaction.hash,
    spent,
    paidBy: new Map<string, string[]>(),
    asked: sample.keys,
    signedBy: new Set(sample.signedBy),
    operator: keys.operator.address,
    networkId: 0,
    parameters: context.parameters,
    slot: openSlot,
    slotLengthMs: 1000,
    ...forged.signing,
  } as const;
  try {
    finish(evaluate(kind, transaction, signing, { ...sample.evidence, ...forged.evidence }));
    return null;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'TRANSACTION_NOT_JUSTIFIED')
      return String(error.details?.['reason']);
    throw error;
  }
}
