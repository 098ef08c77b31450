import { buildFanOut } from '../src/chain/build/fan-out.ts';
import { instantOfSlot } from '../src/chain/ledger/slots.ts';
import type { Utxo } from '../src/chain/transaction.ts';
import { type Lovelace, lovelace } from '../src/domain/units/money.ts';
import { isKindUnderWay, recordTransaction } from '../src/store/chain-transactions.ts';
import { excludeLeased } from '../src/store/utxo-leases.ts';
import { closeFence } from '../src/store/fences.ts';
import { enqueueWorkflowMessage } from '../src/store/workflow-outbox.ts';
import { transactionWorkflowId } from '../src/temporal/workflow-ids.ts';
import { platformTtlSlot } from '../src/services/transactions/deadline.ts';
import type { WorkerContext } from '../src/services/worker-context.ts';

/** Fewer free outputs of the operator than this make his transactions wait for each other's change. */
const LOW_WATER = 20;
const OUTPUTS = 40;
/** Of each new output: no more than any of his transactions needs, and not so little that it needs several. */
const MOST = lovelace(100_000_000n);
const LEAST = lovelace(10_000_000n);

type Deps = Pick<WorkerContext, 'db' | 'unitOfWork' | 'ids' | 'ledger' | 'networkState' | 'keys'>;

/**
 * Splits the operator's largest output into equal ones when few are free, so that his transactions can be under way side by
 * side (design §5). One split at a time, however many workers look.
 */
export async function fanOutOperatorFunds(deps: Deps): Promise<void> {
  const { db, unitOfWork, ids, keys, ledger } = deps;
  const { address, keyHash } = keys.operator;
  const unspent = await ledger.utxos(address);
  if (splittable(await excludeLeased(db, unspent)) === null) return;
  const chain = await deps.networkState();
  await unitOfWork(async ({ tx, now }) => {
    await closeFence(tx, `wallet:${address}`);
    if (await isKindUnderWay(tx, 'fan_out')) return;
    const split = splittable(await excludeLeased(tx, unspent));
    const ttlSlot = platformTtlSlot(chain.anchor, now, null);
    if (split === null || ttlSlot === null) return;

    const operator = { address, keyHash, utxos: [split.from] };
    const built = buildFanOut(chain, { operator, count: OUTPUTS, lovelace: split.each, ttlSlot });
    const id = ids.next();
    const ownerWorkflow = transactionWorkflowId(id);
    const record = {
      id,
      kind: 'fan_out',
      vaultId: null,
      ownerWorkflow,
      signer: 'platform',
      wallet: null,
      expiresAt: instantOfSlot(chain.anchor, ttlSlot),
      built,
    } as const;
    if (!(await recordTransaction(tx, record, now))) return;
    const start = { kind: 'start', workflow: 'transaction', transactionId: id, vaultId: null } as const;
    await enqueueWorkflowMessage({ tx, ids }, ownerWorkflow, start);
  });
}

/** The output to split and what each part gets; null when enough outputs are free or too little is left. */
function splittable(free: readonly Utxo[]): { from: Utxo; each: Lovelace } | null {
  const plain = free.filter(({ assets, lovelace: held }) => assets.size === 0 && held >= LEAST);
  const [from] = plain.toSorted((a, b) => (a.lovelace < b.lovelace ? 1 : -1));
  if (plain.length >= LOW_WATER || from === undefined) return null;
  // One share more than there are outputs stays as change and pays the fee.
  const share = from.lovelace / BigInt(OUTPUTS + 1);
  return share < LEAST ? null : { from, each: share < MOST ? lovelace(share) : MOST };
}
