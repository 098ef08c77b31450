import type { Utxo } from '../cardano/transaction.ts';
import { type ErrorCode, ServiceError } from '../platform/errors/errors.ts';
import { isoText } from '../platform/units/instant.ts';
import type { Transaction } from '../platform/database/database.ts';
import { openTransactionsHolding } from './queries/utxo-leases.ts';

/** An address whose funds do not suffice. */
export interface Holder {
  readonly address: string;
  readonly utxos: readonly Utxo[];
}

/**
 * Runs `build`. An INSUFFICIENT_FUNDS or ASSET_NOT_IN_WALLET that it throws then names the wallet, which a request may have left
 * out, and the open transactions that hold its UTxOs.
 */
export async function nameHolderInErrors<Built>(
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
    throw new ServiceError(cause.code, { ...cause.details, wallet, ...(heldBy.length > 0 && { heldBy }) }, { cause });
  }
}
