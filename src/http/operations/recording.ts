import { instantOfSlot, type SlotAnchor, slotAt } from '../../chain/slots.ts';
import type { BuiltTransaction, Utxo } from '../../chain/transaction.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type Instant, secondsAfter } from '../../domain/instant.ts';
import { type NewChainTransaction, recordTransaction, withoutLeased } from '../../store/chain-transactions.ts';
import type { Work } from '../../store/unit-of-work.ts';

/** How long a transaction may wait for its signatures (design D16). */
const LIFETIME_SECONDS = 30 * 60;
/** Twins that build at the same time take the same outputs; each of these attempts sees what the others took. */
const ATTEMPTS = 8;

export interface Deadline {
  /** The first slot in which the ledger refuses the transaction. */
  readonly ttlSlot: number;
  readonly expiresAt: Instant;
}

/** Half an hour from now, or `latest` if that comes first. */
export function deadlineBefore(latest: Instant, now: Instant, anchor: SlotAnchor): Deadline {
  const wanted = secondsAfter(now, LIFETIME_SECONDS);
  const ttlSlot = slotAt(anchor, wanted < latest ? wanted : latest);
  return { ttlSlot, expiresAt: instantOfSlot(anchor, ttlSlot) };
}

type Record = Omit<NewChainTransaction, 'built' | 'expiresAt'> & Pick<Deadline, 'expiresAt'>;

/**
 * Builds a transaction from those of `utxos` that no open transaction holds, and records it.
 * Raises what `build` raises; SERVICE_NOT_READY when others were always faster.
 */
export async function recordBuilt(
  { tx, now }: Work,
  record: Record,
  utxos: readonly Utxo[],
  build: (free: readonly Utxo[]) => BuiltTransaction,
): Promise<BuiltTransaction> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const built = build(await withoutLeased(tx, utxos));
    if (await recordTransaction(tx, { ...record, built }, now)) return built;
  }
  throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'free outputs' });
}

/** Runs `build` for the platform's own funds, whose lack is not the caller's fault: raises SERVICE_NOT_READY. */
export function paidByPlatform<Built>(build: () => Built): Built {
  try {
    return build();
  } catch (cause) {
    if (!(cause instanceof ServiceError) || cause.code !== 'INSUFFICIENT_FUNDS') throw cause;
    throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'operator funds' }, { cause });
  }
}
