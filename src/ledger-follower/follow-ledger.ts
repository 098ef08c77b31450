import { instantOfSlot } from '../cardano/ledger/slots.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import { appendBlock, followedTip, lockTip } from './queries/blocks.ts';
import { endLedgerHold, readLedgerHold } from './queries/ledger-hold.ts';
import type { WorkerContext } from '../worker-context.ts';
import { acceptHistory } from './accept-history.ts';
import { recordBlocks } from './record-blocks.ts';
import { rollBack } from './roll-back.ts';

type Context = Pick<
  WorkerContext,
  | 'db'
  | 'unitOfWork'
  | 'ledger'
  | 'networkId'
  | 'confirmationDepth'
  | 'maxRollback'
  | 'onQuarantine'
  | 'onUnrecorded'
  | 'onUnjustified'
  | 'onUnknownSupply'
  | 'onLedgerHold'
>;

/** What the ledger had to say: nothing new, new blocks, that recorded ones are no longer on it, or that too many are not. */
export type LedgerNews = 'nothing' | 'blocks' | 'rollback' | 'held';

/** Records what is new on the ledger (design §4). Throws LEDGER_UNAVAILABLE. */
export async function followLedger(context: Context): Promise<LedgerNews> {
  const { db, ledger, unitOfWork } = context;
  const [tip, hold] = await Promise.all([followedTip(db), readLedgerHold(db)]);
  if (tip === null) {
    await startFollowing(context);
    return 'blocks';
  }
  const blocks = await ledger.nextBlocks(tip.hash);
  if (blocks === null) return (await acceptHistory(context, tip, hold)) ? 'rollback' : rollBack(context, tip);
  if (hold !== null) await unitOfWork(({ tx }) => endLedgerHold(tx));
  await recordBlocks(context, tip, blocks);
  return blocks.length === 0 ? 'nothing' : 'blocks';
}

/**
 * Starts at a final block, so that no usual rollback goes back before the first recorded one. Throws LEDGER_UNAVAILABLE when it says another time
 * than that of its slot: by it those of all later ones are judged.
 */
async function startFollowing({ ledger, unitOfWork, confirmationDepth }: Context): Promise<void> {
  const [latest, slotLengthMs] = await Promise.all([ledger.latestBlock(), ledger.slotLengthMs()]);
  const first = await ledger.block(Math.max(0, latest.height - confirmationDepth + 1));
  if (first === null) return;
  if (first.time !== instantOfSlot({ ...latest, slotLengthMs }, first.slot))
    throw new ServiceError('LEDGER_UNAVAILABLE', { reason: `block ${first.hash} has another time than its slot` });
  await unitOfWork(async ({ tx }) => {
    if (await lockTip(tx, null)) await appendBlock(tx, first);
  });
}
