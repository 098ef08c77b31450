import type { ServiceError } from '../platform/errors/errors.ts';
import { type FreeActionKind, freeActionRefusals, freeActionsCountSince } from '../access/rules/free-action.ts';
import { latestFreeActions, recordFreeActions } from './queries/free-actions.ts';
import { closeFences } from '../platform/database/fences.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import type { FreeActionLimit } from '../context.ts';

/** Counts a free action of a wallet. Throws FREE_ACTIONS_USED_UP when the wallet has done too many of its kind within a day. */
export async function countFreeAction(
  context: TransactionContext,
  limit: FreeActionLimit,
  { wallet, kind }: { readonly wallet: string; readonly kind: FreeActionKind },
): Promise<void> {
  const [refusal] = await countFreeActions(context, limit, { wallets: [wallet], kind });
  if (refusal) throw refusal;
}

/** As `countFreeAction` for several actions, of whom `wallets` says who does each: returns their refusals in this order, null for what counts. */
export async function countFreeActions(
  { tx, now }: TransactionContext,
  { freeActionsPerDay: limit }: FreeActionLimit,
  { wallets, kind }: { readonly wallets: readonly string[]; readonly kind: FreeActionKind },
): Promise<readonly (ServiceError | null)[]> {
  if (wallets.length === 0) return [];
  // One transaction after another, or each would count without the others.
  await closeFences(
    tx,
    wallets.map((wallet) => `free:${kind}:${wallet}` as const),
  );
  const latest = await latestFreeActions(tx, { wallets, kind, limit, since: freeActionsCountSince(now) });
  const refusals = freeActionRefusals(wallets, { kind, limit, latest, now });
  await recordFreeActions(tx, { wallets: wallets.filter((_, index) => refusals[index] === null), kind, now });
  return refusals;
}
