import { type Instant, instant } from '../../platform/units/instant.ts';
import type { Db } from '../../platform/database/database.ts';
import type { EventType } from '../../events/queries/event-types.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import { isVaultVisible, type ReaderScope } from './visible-vaults.ts';

/** An event of a vault as its activity shows it. */
export interface Activity {
  readonly type: EventType;
  readonly at: Instant;
  /** The wallet that acted, or `platform`. */
  readonly actor: string;
  readonly data: object;
  readonly transactionHash: string | null;
}

export interface ActivityFilter {
  readonly vaultId: string;
  /** Undefined: of every type. */
  readonly types: readonly EventType[] | undefined;
  readonly actor?: string | undefined;
}

/** A page of the events of a vault, and the total; null when the vault is hidden from the reader. */
export async function listActivity(
  db: Db,
  { vaultId, types, actor }: ActivityFilter,
  scope: ReaderScope,
  page: Page<'timestamp'>,
): Promise<{ activities: Activity[]; count: PageCount } | null> {
  const ofVault = db
    .selectFrom('outbox')
    .where('vault_id', '=', vaultId)
    .where((eb) => eb.and(givenFields({ actor })));
  const matching = types === undefined ? ofVault : ofVault.where('type', 'in', types);
  const order = { columns: { timestamp: 'occurred_at' }, tieBreak: ['id'], tieBreakFollowsSort: true };
  const collection = { ...order, visible: isVaultVisible(vaultId, scope) };
  const { rows, count, isVisible } = await readPage(db, matching.selectAll(), matching, collection, page);
  const activities = rows.map((row) => ({
    type: row.type,
    at: instant(row.occurred_at),
    actor: row.actor,
    data: row.data,
    transactionHash: row.transaction_hash,
  }));
  return isVisible ? { activities, count } : null;
}
