import type { SlotAnchor } from '../cardano/ledger/slots.ts';
import type { BuiltTransaction, Utxo } from '../cardano/transaction.ts';
import { type ErrorCode, ServiceError } from '../platform/errors/errors.ts';
import type { Instant } from '../platform/units/instant.ts';
import { type NewChainTransaction, recordTransaction } from './queries/recorded-transactions.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { excludeLeased } from './queries/utxo-leases.ts';
import { lockFreeUtxos } from '../assets/queries/deposit-locks.ts';
import { type Deadline, deadlineAt } from '../cardano/ledger/deadline.ts';
import { type Holder, nameHolderInErrors } from './funding-errors.ts';

/** Between two attempts the worker may lease an output of the platform's; the next attempt builds without it. */
const ATTEMPTS = 8;

/** The UTxOs that may pay for a transaction, and until when it may land. */
export interface FundingSource {
  readonly address: string;
  readonly utxos: readonly Utxo[];
  readonly deadline: Deadline;
  readonly anchor: SlotAnchor;
  /** Who an error of the builder is about, when that is not the wallet at `address`. */
  readonly lacking?: (code: ErrorCode) => Holder;
}

type Build = (free: readonly Utxo[], ttlSlot: number) => BuiltTransaction;

export interface RecordedTransaction {
  readonly transaction: BuiltTransaction;
  readonly expiresAt: Instant;
}

/**
 * Builds a transaction from the UTxOs of a funding source that no open transaction holds, and records it. Throws what `build`
 * throws, and SERVICE_NOT_READY when other transactions took its inputs in every attempt.
 */
export async function buildAndRecord(
  context: TransactionContext,
  record: Omit<NewChainTransaction, 'built' | 'expiresAt'>,
  { address, utxos, deadline, anchor, lacking }: FundingSource,
  build: Build,
): Promise<RecordedTransaction> {
  const { tx } = context;
  let free = await lockFreeUtxos(tx, address, utxos);
  const holderFor = lacking ?? (address === record.wallet ? () => ({ address, utxos }) : null);
  let { ttlSlot } = deadline;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const buildNow = () => build(free, ttlSlot);
    const transaction = holderFor ? await nameHolderInErrors(tx, holderFor, buildNow) : buildNow();
    const { expiresAt } = deadlineAt(anchor, ttlSlot);
    const outcome = await recordTransaction(context, { ...record, expiresAt, built: transaction });
    if (outcome === 'recorded') return { transaction, expiresAt };
    // Another TTL gives it another hash.
    if (outcome === 'known') ttlSlot -= stepOf(record.id);
    else free = await excludeLeased(tx, utxos);
  }
  throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'free outputs' });
}

/** 1 to 16 slots, by the id: a wallet that repeats a withdrawn transaction does not try the same few TTLs each time. */
function stepOf(transactionId: string): number {
  return 1 + (Number.parseInt(transactionId.slice(-2), 16) % 16);
}
