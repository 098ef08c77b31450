import { instantOfSlot, type SlotAnchor, slotAt } from '../../chain/ledger/slots.ts';
import type { BuiltTransaction, Utxo } from '../../chain/transaction.ts';
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import { type Instant, isoText, secondsAfter } from '../../domain/units/instant.ts';
import { findTransactionByHash, type NewChainTransaction, recordTransaction } from '../../store/chain-transactions.ts';
import type { Transaction } from '../../store/database.ts';
import { closeFence } from '../../store/fences.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { openTransactionsHolding, excludeLeased } from '../../store/utxo-leases.ts';

/** How long a transaction may wait for its signatures (design D16). */
const LIFETIME_SECONDS = 30 * 60;
/** The worker may take an output of the platform's meanwhile; each further attempt sees what it took. */
const ATTEMPTS = 8;

export interface Deadline {
  /** The first slot in which the ledger refuses the transaction. */
  readonly ttlSlot: number;
  readonly expiresAt: Instant;
}

/** Half an hour from now, or `latest` if that comes first; null when nothing has to be over by then. */
export function deadlineBefore(latest: Instant | null, now: Instant, anchor: SlotAnchor): Deadline {
  const wanted = secondsAfter(now, LIFETIME_SECONDS);
  return deadlineAt(anchor, slotAt(anchor, latest !== null && latest < wanted ? latest : wanted));
}

/** What a wallet, or the platform, pays out of, and until when. */
export interface FundingSource {
  readonly address: string;
  readonly utxos: readonly Utxo[];
  readonly deadline: Deadline;
  readonly anchor: SlotAnchor;
  /** Who lacks what the builder found lacking; the wallet of the purse unless said. */
  readonly lacking?: (code: ErrorCode) => Holder;
}

interface Holder {
  readonly address: string;
  readonly utxos: readonly Utxo[];
}

type Build = (free: readonly Utxo[], ttlSlot: number) => BuiltTransaction;

export interface RecordedTransaction {
  readonly transaction: BuiltTransaction;
  readonly expiresAt: Instant;
}

/**
 * Builds a transaction from those UTxOs of a purse that no open transaction holds, and records it. Raises what `build` raises;
 * SERVICE_NOT_READY when others were always faster.
 */
export async function buildAndRecord(
  { tx, now }: TransactionContext,
  record: Omit<NewChainTransaction, 'built' | 'expiresAt'>,
  { address, utxos, deadline, anchor, lacking }: FundingSource,
  build: Build,
): Promise<RecordedTransaction> {
  await closeFence(tx, `wallet:${address}`);
  let { ttlSlot } = deadline;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const free = await excludeLeased(tx, utxos);
    const attempted = () => build(free, ttlSlot);
    const holder = lacking ?? (address === record.wallet ? () => ({ address, utxos }) : null);
    const transaction = holder ? await paidBy(tx, holder, attempted) : attempted();
    if (await findTransactionByHash(tx, transaction.hash)) {
      // The very same was built before and given up since: another TTL makes another transaction.
      ttlSlot -= stepOf(record.id);
      continue;
    }
    const { expiresAt } = deadlineAt(anchor, ttlSlot);
    if (await recordTransaction(tx, { ...record, expiresAt, built: transaction }, now))
      return { transaction, expiresAt };
  }
  throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'free outputs' });
}

/** So many slots earlier, from 1 to 16: whoever gives up again and again does not find the same few taken each time. */
function stepOf(transactionId: string): number {
  return 1 + (Number.parseInt(transactionId.slice(-2), 16) % 16);
}

/**
 * Names the wallet in what says that it lacks something (a caller who named none is answered about one of ours), and the
 * transactions under way that hold what it has.
 */
async function paidBy<Built>(tx: Transaction, holder: (code: ErrorCode) => Holder, build: () => Built): Promise<Built> {
  try {
    return build();
  } catch (cause) {
    if (!(cause instanceof ServiceError) || !['INSUFFICIENT_FUNDS', 'ASSET_NOT_IN_WALLET'].includes(cause.code))
      throw cause;
    const { address: wallet, utxos } = holder(cause.code);
    const heldBy = (await openTransactionsHolding(tx, utxos)).map(
      ({ hash: transactionHash, state: status, expiresAt }) => ({
        transactionHash,
        status,
        expiresAt: isoText(expiresAt),
      }),
    );
    throw new ServiceError(cause.code, { ...cause.details, wallet, ...(heldBy.length > 0 && { heldBy }) }, { cause });
  }
}

/** Runs `build` for the platform's own funds, whose lack is not the caller's fault: raises SERVICE_NOT_READY. */
export function buildWithPlatformFunds<Built>(build: () => Built): Built {
  try {
    return build();
  } catch (cause) {
    if (!(cause instanceof ServiceError) || cause.code !== 'INSUFFICIENT_FUNDS') throw cause;
    throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'operator funds' }, { cause });
  }
}

function deadlineAt(anchor: SlotAnchor, ttlSlot: number): Deadline {
  return { ttlSlot, expiresAt: instantOfSlot(anchor, ttlSlot) };
}
