import type { BuiltTransaction } from '../../chain/transaction.ts';
import { ServiceError } from '../../domain/errors.ts';
import { mayHoldOperatorOutput } from '../../domain/execution/operator-turn.ts';
import type { Transaction } from '../../store/database.ts';
import { closeFence } from '../../store/fences.ts';
import { waitingExecutions } from '../../store/proposal-executions.ts';

/** An execution, and who pays for it if neither the vault nor a partner does. */
type Paid = Omit<Parameters<typeof waitingExecutions>[1], 'address'> & {
  readonly operator: { readonly address: string } | null;
};

/**
 * Whoever governs a vault passes as many proposals as they like, and each execution holds what pays for it until its phase ends. Throws
 * SERVICE_NOT_READY while too many hold outputs of the operator.
 */
export async function requireOperatorTurn(
  tx: Transaction,
  { operator, ...execution }: Paid,
  { inputs }: BuiltTransaction,
): Promise<void> {
  if (!operator || !inputs.some(({ address }) => address === operator.address)) return;
  const { address } = operator;
  await closeFence(tx, `wallet:${address}:executions`);
  if (mayHoldOperatorOutput(await waitingExecutions(tx, { address, ...execution }))) return;
  throw new ServiceError('SERVICE_NOT_READY', {
    waitingFor: 'signatures of other executions that the platform pays for',
    retryAfterSeconds: 600,
  });
}
