import { sql } from 'kysely';
import type { FreeActionKind } from '../domain/identity/free-action.ts';
import { type Instant, instant } from '../domain/units/instant.ts';
import { anyOf } from './bulk-insert.ts';
import type { Db, Transaction } from './database.ts';
import { deletePast } from './delete-past.ts';

/** Of those wallets that have done so many actions of a kind since an instant: when the first of the `limit` latest ones was. */
export async function walletsAtLimit(
  tx: Transaction,
  { wallets, kind, limit, since }: { wallets: readonly string[]; kind: FreeActionKind; limit: number; since: Instant },
): Promise<ReadonlyMap<string, Instant>> {
  const latestFirst = sql<string>`row_number() over (partition by wallet order by at desc, id desc)`;
  const rows = await tx
    .selectFrom((query) =>
      query
        .selectFrom('free_actions')
        .select(['wallet', 'at', latestFirst.as('place')])
        .where('wallet', '=', anyOf(wallets))
        .where('kind', '=', kind)
        .where('at', '>', new Date(since))
        .as('action'),
    )
    .select(['wallet', 'at'])
    .where('place', '=', String(limit))
    .execute();
  return new Map(rows.map(({ wallet, at }) => [wallet, instant(at)]));
}

/** Records that wallets have done an action of a kind now; a wallet may be named several times. */
export async function recordFreeActions(
  tx: Transaction,
  { wallets, kind, now }: { wallets: readonly string[]; kind: FreeActionKind; now: Instant },
): Promise<void> {
  const values = wallets.map((wallet) => ({ wallet, kind, at: new Date(now) }));
  if (values.length > 0) await tx.insertInto('free_actions').values(values).execute();
}

/** Deletes free actions that were done until an instant, the oldest first; returns how many. */
export function deleteFreeActions(db: Db, until: Instant): Promise<number> {
  return deletePast(db, { table: 'free_actions', column: 'at', until: new Date(until) });
}
