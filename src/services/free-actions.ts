import type { ServiceError } from '../domain/errors.ts';
import { type FreeActionKind, freeActionRefusal, freeActionsCountSince } from '../domain/identity/free-action.ts';
import { recordFreeActions, walletsAtLimit } from '../store/free-actions.ts';
import type { TransactionContext } from '../store/transaction-context.ts';
import type { FreeActionLimit } from './context.ts';

/** Counts a free action of a wallet. Throws FREE_ACTIONS_USED_UP when the wallet has done too many of its kind within a day. */
export async function countFreeAction(
  context: TransactionContext,
  limit: FreeActionLimit,
  { wallet, kind }: { readonly wallet: string; readonly kind: FreeActionKind },
): Promise<void> {
  const refusal = (await countFreeActions(context, limit, { wallets: [wallet], kind })).get(wallet);
  if (refusal) throw refusal;
}

/** As `countFreeAction` for several wallets: returns the refusals by wallet, and counts the actions of the others. */
export async function countFreeActions(
  { tx, now }: TransactionContext,
  { freeActionsPerDay: limit }: FreeActionLimit,
  { wallets, kind }: { readonly wallets: readonly string[]; readonly kind: FreeActionKind },
): Promise<ReadonlyMap<string, ServiceError>> {
  if (wallets.length === 0) return new Map();
  const atLimit = await walletsAtLimit(tx, { wallets, kind, limit, since: freeActionsCountSince(now) });
  await recordFreeActions(tx, { wallets: wallets.filter((wallet) => !atLimit.has(wallet)), kind, now });
  return new Map(
    [...atLimit].map(([wallet, limitingAt]) => [
      wallet,
      freeActionRefusal({ wallet, kind, limit }, { limitingAt, now }),
    ]),
  );
}
