import { storeSigned } from '../../store/transaction-changes.ts';
import { appendBlock, followedTip, lockTip } from '../../store/blocks.ts';
import { directSubmissions } from '../../store/followed-transactions.ts';
import type { WorkerContext } from '../worker-context.ts';
import { recordBlocks } from './record-blocks.ts';
import { type ResendContext, resendUnseen } from './resend-transactions.ts';
import { rollBack } from './roll-back.ts';

/** What following the ledger works with. */
export type FollowerContext = ResendContext & Pick<WorkerContext, 'blockMs' | 'onQuarantine'>;

/** Records what is new on the ledger (design §4); returns false when nothing is. Throws LEDGER_UNAVAILABLE. */
export async function followLedger(context: FollowerContext): Promise<boolean> {
  const { db, ledger, unitOfWork } = context;
  const tip = await followedTip(db);
  if (tip === null) {
    const first = await ledger.latestBlock();
    await unitOfWork(async ({ tx, now }) => {
      if (await lockTip(tx, null)) await appendBlock(tx, first, now);
    });
    return true;
  }
  const blocks = await ledger.nextBlocks(tip.hash);
  if (blocks === null) {
    await rollBack(context, tip);
    return true;
  }
  await recordBlocks(context, tip, blocks);
  if (blocks.length === 0) return false;
  await storeDirectSubmissions(context);
  await resendUnseen(context);
  return true;
}

/** Stores the signed bytes of transactions that wallets have submitted themselves, so that these too are sent again after a rollback. */
async function storeDirectSubmissions({ db, ledger, unitOfWork }: FollowerContext): Promise<void> {
  for (const { id, hash } of await directSubmissions(db)) {
    const signed = await ledger.transactionCbor(hash);
    if (signed !== null) await unitOfWork(({ tx }) => storeSigned(tx, id, signed));
  }
}
