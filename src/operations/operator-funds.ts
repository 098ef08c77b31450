import { setImmediate as nextTurn } from 'node:timers/promises';
import { buildFanOut, type Payer } from '../cardano/build/funding.ts';
import { deadlineAt, platformTtlSlot } from '../cardano/ledger/http.ts';
import type { Keys } from '../cardano/keys/keys.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import type { BuiltTransaction, Utxo } from '../cardano/transaction.ts';
import { latestOperatorFunds, recordOperatorFunds } from './queries.ts';
import { type OperatorFunds, operatorFunds } from './rules.ts';
import type { Db, Transaction } from '../platform/database/database.ts';
import { lockExclusive } from '../platform/database/locks.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { ServiceError } from '../platform/errors.ts';
import { transactionWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { type Lovelace, lovelace } from '../platform/units/money.ts';
import { type ChainTransaction, isKindUnderWay } from '../transactions/queries/transactions.ts';
import { recordTransaction } from '../transactions/queries/recorded-transactions.ts';
import { excludeLeased } from '../transactions/queries/utxo-leases.ts';
import { type TransactionKind, refText } from '../transactions/rules.ts';
import { startTransactionWorkflow } from '../transactions/record-transaction.ts';
import { countFreeVaultKeys, publishVaultKeys as storeVaultKeys } from '../vaults/queries/vaults.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Enough that a quiet weekend does not hide what a week costs. */
const DAYS = 7;

/** The operator's funds as a worker saw them last; null before the first time. */
export async function readOperatorFunds(db: Db): Promise<OperatorFunds | null> {
  return operatorFunds(await latestOperatorFunds(db, DAYS));
}

/** A transaction that is built again. */
export type Replaced = Pick<ChainTransaction, 'state' | 'inputs' | 'refusal'>;

/**
 * Returns how to build a transaction that the operator's free UTxOs pay for, in the database transaction that records it: many at once
 * take turns, and none takes what another has just taken. One that replaces expired ones pays with their inputs where these suffice, so
 * that both can never be confirmed, even after a deep rollback (design §5); of those that the ledger refused it takes none while there are
 * others. Throws OPERATOR_BUDGET_SPENT before anything is held, and LEDGER_UNAVAILABLE; what it returns throws what `build` throws.
 */
export async function buildWithOperatorFunds(
  { ledger, keys: { operator }, operatorBudget }: WorkerContext,
  kind: TransactionKind,
  replaced: readonly Replaced[],
  build: Build,
): Promise<(tx: Transaction) => Promise<BuiltTransaction>> {
  operatorBudget.requireBudget(kind);
  const unspent = await ledger.payingUtxos(operator.address);
  return async (tx) => {
    await lockExclusive(tx, `wallet:${operator.address}`);
    return buildFrom(await excludeLeased(tx, unspent), operator, replaced, build);
  };
}

type Build = (operator: Payer) => BuiltTransaction;

function buildFrom(
  free: readonly Utxo[],
  { address, keyHash }: WorkerContext['keys']['operator'],
  replaced: readonly Replaced[],
  build: Build,
): BuiltTransaction {
  const { preferred, others } = chooseFunds(free, replaced);
  try {
    return build({ address, keyHash, utxos: preferred });
  } catch (error) {
    // What is left of the inputs of an expired transaction may be too little.
    if (!(error instanceof ServiceError) || error.code !== 'INSUFFICIENT_FUNDS' || others.length === 0) throw error;
    return build({ address, keyHash, utxos: [...preferred, ...others] });
  }
}

function chooseFunds(free: readonly Utxo[], replaced: readonly Replaced[]) {
  const isRefused = ({ state, refusal }: Replaced) => state === 'failed' || refusal !== null;
  const inputsOf = (earlier: readonly Replaced[]) => new Set(earlier.flatMap(({ inputs }) => inputs.map(refText)));
  const refused = inputsOf(replaced.filter(isRefused));
  const expired = inputsOf(replaced.filter(({ state }) => state === 'expired'));
  const unsuspected = free.filter((utxo) => !refused.has(refText(utxo)));
  const reusable = unsuspected.filter((utxo) => expired.has(refText(utxo)));
  const preferred = [reusable, unsuspected, free].find(({ length }) => length > 0) ?? [];
  return { preferred, others: free.filter((utxo) => !preferred.includes(utxo)) };
}

/** With fewer free outputs, fifty transactions of the operator at once would wait for each other's change. */
const MIN_FREE_OUTPUTS = 50;
const OUTPUTS = 60;
/** Lovelace of each new output: as much as any transaction of the operator needs, and enough that one output pays for it. */
const MAX_OUTPUT = lovelace(100_000_000n);
const MIN_OUTPUT = lovelace(10_000_000n);

/** Records what the operator holds, and splits it when few outputs are free. */
export async function rebalanceOperatorUtxos(context: WorkerContext): Promise<void> {
  const unspent = await context.ledger.payingUtxos(context.keys.operator.address);
  await recordOperatorFunds(context.db, lovelace(unspent.reduce((sum, output) => sum + output.lovelace, 0n)));
  await fanOutOperatorFunds(context, unspent);
}

/**
 * Splits the operator's largest output into equal ones when few are free, so that many transactions can be under way at once (design §5).
 * Only one split is under way at a time, however many workers try.
 */
async function fanOutOperatorFunds(
  { db, unitOfWork, networkState, keys, operatorBudget }: WorkerContext,
  unspent: readonly Utxo[],
): Promise<void> {
  if (!operatorBudget.hasBudget('fan_out') || planSplit(await excludeLeased(db, unspent)) === null) return;
  const chain = await networkState();
  await unitOfWork(async (context) => {
    await lockExclusive(context.tx, `wallet:${keys.operator.address}`);
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

/** Free vault keys to keep ready. */
const FREE_KEYS = 200;

/** Publishes vault keys until enough are free: the api can only promise addresses of published keys. */
export async function publishVaultKeys(db: Db, keys: Keys): Promise<void> {
  const { free, nextIndex } = await countFreeVaultKeys(db);
  if (free >= FREE_KEYS / 2) return;
  const further = [];
  for (let index = nextIndex; index < nextIndex + FREE_KEYS - free; index += 1) {
    // Each takes some 20 ms, in which this process does nothing else: a window may have to close.
    await nextTurn();
    further.push({ index, vaultKeyHash: keys.vaultKey(index).keyHash, policyKeyHash: keys.policyKey(index).keyHash });
  }
  await storeVaultKeys(db, further);
}
