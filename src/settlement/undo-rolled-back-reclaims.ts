import type { Instant } from '../platform/units/instant.ts';
import { reclaimedDeposits } from './queries/deposits-to-return.ts';
import { readReclaimCheck, saveReclaimCheck } from './queries/reclaim-checks.ts';
import { paysContributors } from '../transactions/queries/transaction-deposits.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import type { WorkerContext } from '../worker-context.ts';
import { detectReturnedDeposits } from './detect-reclaims.ts';
import { undoReclaims } from './record-reclaims.ts';

/** So many reclaimed deposits are checked before that is saved. */
const PAGE = 50;

/**
 * Undoes the reclaims that the ledger has rolled back. Each is checked once, and again after a rollback; how far that is, is saved. An
 * investment that returns after contributors were paid by a revised settlement stays where it is, and remains its owner's. Throws
 * LEDGER_UNAVAILABLE.
 */
export async function undoRolledBackReclaims(
  context: Pick<WorkerContext, 'db' | 'unitOfWork' | 'ledger' | 'networkId' | 'confirmationDepth'>,
  vault: Vault,
  now: Instant,
): Promise<void> {
  const { db, unitOfWork } = context;
  if (now < vault.settlesBy) return;
  for (;;) {
    const check = await readReclaimCheck(db, vault.id);
    if (check === null || check.after === null) return;
    const page = await reclaimedDeposits(db, vault.id, { after: check.after, limit: PAGE });
    const returned = await detectReturnedDeposits(context, vault, page);
    const counted = (await paysContributors(db, vault.id))
      ? returned.filter(({ depositKind }) => depositKind === 'asset')
      : returned;
    const after = page.length < PAGE ? null : (page.at(-1)?.depositId ?? null);
    await unitOfWork(async (transaction) => {
      if (counted.length > 0) await undoReclaims({ ...transaction, now }, vault.id, counted);
      await saveReclaimCheck(transaction.tx, vault.id, { after, block: check.block });
    });
  }
}
