import { lockFreeUtxos } from '../assets/queries/deposits.ts';
import { type Deadline, deadlineAt } from '../cardano/ledger/http.ts';
import type { SlotAnchor } from '../cardano/ledger/slots.ts';
import type { BuiltTransaction, Utxo } from '../cardano/transaction.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import type { ErrorCode } from '../platform/error-registry.ts';
import { ServiceError, withDetails } from '../platform/errors.ts';
import type { Signing } from '../platform/temporal/messages.ts';
import { transactionWorkflowId, vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { type Instant, isoText } from '../platform/units/time.ts';
import { moveKinds } from '../rotation/rules.ts';
import { type NewChainTransaction, recordTransaction } from './queries/recorded-transactions.ts';
import type { ChainTransaction } from './queries/transactions.ts';
import { excludeLeased, openTransactionsHolding } from './queries/utxo-leases.ts';
import type { TransactionKind } from './rules.ts';

/** Between two attempts the worker may lease an output of the platform's; the next attempt builds without it. */
const ATTEMPTS = 8;

/** The UTxOs that may pay for a transaction, and until when it may be confirmed. */
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

/** Builds a transaction from the UTxOs of a funding source that no open transaction holds, and records it. */
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

interface Holder {
  readonly address: string;
  readonly utxos: readonly Utxo[];
}

/**
 * Runs `build`. An INSUFFICIENT_FUNDS or ASSET_NOT_IN_WALLET that it throws then names the wallet, which a request may have left
 * out, and the open transactions that hold its UTxOs.
 */
async function nameHolderInErrors<Built>(
  tx: Transaction,
  holderFor: (code: ErrorCode) => Holder,
  build: () => Built,
): Promise<Built> {
  try {
    return build();
  } catch (cause) {
    if (!(cause instanceof ServiceError) || !['INSUFFICIENT_FUNDS', 'ASSET_NOT_IN_WALLET'].includes(cause.code))
      throw cause;
    const { address: wallet, utxos } = holderFor(cause.code);
    const heldBy = (await openTransactionsHolding(tx, utxos)).map(
      ({ hash: transactionHash, state: status, expiresAt }) => ({
        transactionHash,
        status,
        expiresAt: isoText(expiresAt),
      }),
    );
    throw withDetails(cause, { wallet, ...(heldBy.length > 0 && { heldBy }) });
  }
}

/**
 * Starts the workflow that submits a recorded transaction and watches it, once the unit of work commits. With `signing` the workflow
 * reads nothing before `submitSigned`, or until it expires.
 */
export async function startTransactionWorkflow(
  context: TransactionContext,
  { id, vaultId }: Pick<ChainTransaction, 'id' | 'vaultId'>,
  signing?: Signing,
): Promise<void> {
  const message = { kind: 'start', workflow: 'transaction', transactionId: id, vaultId } as const;
  await enqueueWorkflowMessage(context, transactionWorkflowId(id), { ...message, ...(signing && { signing }) });
}

/** Steps of a vault that registered cosigners sign, if it has any: these have a workflow of their own, which awaits the signatures. */
const cosignedKinds: ReadonlySet<TransactionKind> = new Set([...moveKinds, 'gather_pot', 'hand_over']);

/** A transaction of a vault by which its workflow, or that of its rotation, takes a step. */
export function isStepOfVault<Recorded extends Pick<ChainTransaction, 'kind' | 'vaultId' | 'ownerWorkflow'>>(
  transaction: Recorded,
): transaction is Recorded & { readonly vaultId: string } {
  const { kind, vaultId, ownerWorkflow } = transaction;
  return vaultId !== null && (ownerWorkflow === vaultWorkflowId(vaultId) || cosignedKinds.has(kind));
}
