import { buildFanOut } from '../cardano/build/fan-out.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import type { Utxo } from '../cardano/transaction.ts';
import { type Lovelace, lovelace } from '../platform/units/money.ts';
import { isKindUnderWay } from '../transactions/queries/chain-transactions.ts';
import { recordTransaction } from '../transactions/queries/recorded-transactions.ts';
import { closeFence } from '../platform/database/fences.ts';
import { recordOperatorFunds } from './queries/operator-funds.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { excludeLeased } from '../transactions/queries/utxo-leases.ts';
import { transactionWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { deadlineAt, platformTtlSlot } from '../cardano/ledger/deadline.ts';
import { startTransactionWorkflow } from '../transactions/start-transaction-workflow.ts';
import type { WorkerContext } from '../worker-context.ts';

/** With fewer free outputs, fifty transactions of the operator at once would wait for each other's change. */
const MIN_FREE_OUTPUTS = 50;
const OUTPUTS = 60;
/** Lovelace of each new output: as much as any transaction of the operator needs, and enough that one output pays for it. */
const MAX_OUTPUT = lovelace(100_000_000n);
const MIN_OUTPUT = lovelace(10_000_000n);

type Context = Pick<WorkerContext, 'db' | 'unitOfWork' | 'ledger' | 'networkState' | 'keys' | 'operatorBudget'>;

/** Records what the operator holds, and splits it when few outputs are free. Throws LEDGER_UNAVAILABLE. */
export async function tendOperatorFunds(context: Context): Promise<void> {
  const unspent = await context.ledger.payingUtxos(context.keys.operator.address);
  await recordOperatorFunds(context.db, lovelace(unspent.reduce((sum, output) => sum + output.lovelace, 0n)));
  await fanOutOperatorFunds(context, unspent);
}

/**
 * Splits the operator's largest output into equal ones when few are free, so that many transactions can be under way at once
 * (design §5). Only one split is under way at a time, however many workers try. Throws LEDGER_UNAVAILABLE.
 */
async function fanOutOperatorFunds(
  { db, unitOfWork, networkState, keys, operatorBudget }: Context,
  unspent: readonly Utxo[],
): Promise<void> {
  if (!operatorBudget.hasRoom('fan_out') || planSplit(await excludeLeased(db, unspent)) === null) return;
  const chain = await networkState();
  await unitOfWork(async (context) => {
    await closeFence(context.tx, `wallet:${keys.operator.address}`);
    if (await isKindUnderWay(context.tx, 'fan_out')) return;
    const split = planSplit(await excludeLeased(context.tx, unspent));
    if (split !== null) await recordFanOut(context, chain, keys.operator, split);
  });
}

/** An output to split, and the lovelace of each new one. */
interface Split {
  readonly from: Utxo;
  readonly each: Lovelace;
}

/** Null when enough outputs are free, or when the largest is too small to split. */
function planSplit(free: readonly Utxo[]): Split | null {
  const large = free.filter(({ lovelace: held }) => held >= MIN_OUTPUT);
  const [from] = large.toSorted((a, b) => (a.lovelace < b.lovelace ? 1 : -1));
  if (large.length >= MIN_FREE_OUTPUTS || from === undefined) return null;
  // One share more than there are outputs is left as change and pays the fee.
  const share = from.lovelace / BigInt(OUTPUTS + 1);
  return share < MIN_OUTPUT ? null : { from, each: share < MAX_OUTPUT ? lovelace(share) : MAX_OUTPUT };
}

async function recordFanOut(
  context: TransactionContext,
  chain: NetworkState,
  { address, keyHash }: WorkerContext['keys']['operator'],
  { from, each }: Split,
): Promise<void> {
  const { ids, now } = context;
  const ttlSlot = platformTtlSlot(chain.anchor, now, null);
  if (ttlSlot === null) return;
  const operator = { address, keyHash, utxos: [from] };
  const built = buildFanOut(chain, { operator, count: OUTPUTS, lovelace: each, ttlSlot });
  const { expiresAt } = deadlineAt(chain.anchor, ttlSlot);
  const id = ids.next();
  const ownerWorkflow = transactionWorkflowId(id);
  const source = { id, kind: 'fan_out', vaultId: null, ownerWorkflow, signer: 'platform', wallet: null } as const;
  if ((await recordTransaction(context, { ...source, expiresAt, built })) === 'recorded')
    await startTransactionWorkflow(context, { id, vaultId: null });
}
