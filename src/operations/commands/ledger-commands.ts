import { isoText } from '../../platform/units/time.ts';
import type { ServiceContext } from '../../context.ts';
import { ledgerHoldText } from '../../ledger-follower/follow-ledger.ts';
import { recordAudit } from '../../access/queries/audit-log.ts';
import { followedTip, acceptLedgerHistory, readLedgerHold } from '../../ledger-follower/queries/blocks.ts';
import type { CommandResult } from './command-result.ts';

type Context = Pick<ServiceContext, 'db' | 'unitOfWork'>;

/** Runs a command about following the ledger; null when there is no such command. */
export function ledgerCommand(
  context: Context,
  verb: string | undefined,
  height: string | undefined,
): Promise<CommandResult> | null {
  if (verb === 'status') return status(context);
  if (verb !== 'accept') return null;
  if (height === undefined) return accept(context, null);
  return /^\d{1,9}$/.test(height) ? accept(context, Number(height)) : null;
}

async function status({ db }: Context): Promise<CommandResult> {
  const [tip, hold] = [await followedTip(db), await readLedgerHold(db)];
  const followed = tip
    ? `Last block read: ${tip.height} of ${isoText(tip.time)} (${tip.hash}).`
    : 'No block was read yet. Start a worker.';
  return { ok: true, output: hold ? `${followed}\n${ledgerHoldText(hold)}` : followed };
}

async function accept({ unitOfWork }: Context, height: number | null): Promise<CommandResult> {
  return unitOfWork(async (context) => {
    const { tx } = context;
    const hold = await readLedgerHold(tx);
    if (!hold) return { ok: false, output: 'The worker is reading the ledger. There is nothing to accept.' };
    const latest = hold.forkHeight === null ? hold.tipHeight : hold.forkHeight + 1;
    const from = height ?? (hold.forkHeight === null ? null : latest);
    if (from === null)
      return {
        ok: false,
        output: 'None of the recorded blocks is on the ledger. Give the number of the first block to read.',
      };
    if (from > latest)
      return { ok: false, output: `The histories differ before block ${from}. Give a number of at most ${latest}.` };
    await acceptLedgerHistory(tx, from);
    // Only who reaches the database can run this: there is no caller to name.
    await recordAudit(context, {
      action: 'LEDGER_HISTORY_ACCEPTED',
      actor: { id: 'operator', type: 'SYSTEM' },
      resource: { type: 'block', id: String(from) },
      metadata: { followedTo: hold.tipHeight },
    });
    return { ok: true, output: `Accepted the ledger's history from block ${from}. The worker reads it now.` };
  });
}
