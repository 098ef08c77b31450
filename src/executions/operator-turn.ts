import type { BuiltTransaction } from '../cardano/transaction.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import type { Transaction } from '../platform/database/database.ts';
import { closeFence } from '../platform/database/fences.ts';
import { countWaitingExecutions } from '../proposals/queries/proposal-executions.ts';

/** So many of a vault hold an output of the operator, for days perhaps. No number of all vaults is a bound: a few could then stop the others. */
const MOST_OF_VAULT = 3;

/**
 * Whoever governs a vault passes as many proposals as they like, and each execution holds what pays for it until its phase ends. Throws
 * SERVICE_NOT_READY while too many of the vault hold outputs of the operator, which is null where others pay.
 */
export async function requireOperatorTurn(
  tx: Transaction,
  vaultId: string,
  operator: { readonly address: string } | null,
  { inputs }: BuiltTransaction,
): Promise<void> {
  if (!operator || !inputs.some(({ address }) => address === operator.address)) return;
  await closeFence(tx, `vault:${vaultId}:executions`);
  if ((await countWaitingExecutions(tx, vaultId, operator.address)) < MOST_OF_VAULT) return;
  throw new ServiceError('SERVICE_NOT_READY', {
    waitingFor: 'signatures of other executions of the vault that the platform pays for',
    retryAfterSeconds: 600,
  });
}
