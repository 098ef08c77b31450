import type { Selectable } from 'kysely';
import { instant } from '../../platform/units/instant.ts';
import { basisPoints } from '../../platform/units/money.ts';
import type { FeatureFlag } from '../rules/feature-flag.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import type { FeatureFlagsTable } from '../../platform/database/tables/versions.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';

/** Creates the flag or replaces the one with its name. */
export async function putFeatureFlag({ tx, now }: TransactionContext, flag: FeatureFlag): Promise<void> {
  const { name, enabled, version, rollout, clientIds, environments, startsAt } = flag;
  const fields = {
    enabled,
    version,
    rollout: Number(rollout),
    client_ids: [...clientIds],
    environments: [...environments],
    starts_at: startsAt === null ? null : new Date(startsAt),
    updated_at: new Date(now),
  };
  await tx
    .insertInto('feature_flags')
    .values({ name, ...fields, created_at: new Date(now) })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(fields))
    .execute();
}

/** The number of flags besides the one with this name. */
export async function countOtherFlags(tx: Transaction, name: string): Promise<number> {
  const counting = tx.selectFrom('feature_flags').where('name', '!=', name);
  const { count } = await counting.select(({ fn }) => fn.countAll<string>().as('count')).executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns false when there is no flag with this name. */
export async function deleteFeatureFlag(tx: Transaction, name: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('feature_flags').where('name', '=', name).executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}

const columns = { name: 'name', updatedAt: 'updated_at' } as const;

/** A page of the flags, and the total. */
export async function listFeatureFlags(
  db: Db,
  { enabled }: { readonly enabled: boolean | undefined },
  page: Page<keyof typeof columns>,
): Promise<{ flags: FeatureFlag[]; count: PageCount }> {
  const matching = db.selectFrom('feature_flags').where((eb) => eb.and(givenFields({ enabled })));
  const { rows, count } = await readPage(db, matching.selectAll(), matching, { columns, tieBreak: ['name'] }, page);
  return { flags: rows.map(flagOf), count };
}

/** The flags that are enabled, by name. */
export async function enabledFeatureFlags(db: Db): Promise<FeatureFlag[]> {
  const rows = await db.selectFrom('feature_flags').selectAll().where('enabled', '=', true).orderBy('name').execute();
  return rows.map(flagOf);
}

function flagOf(row: Selectable<FeatureFlagsTable>): FeatureFlag {
  return {
    name: row.name,
    enabled: row.enabled,
    version: row.version,
    rollout: basisPoints(BigInt(row.rollout)),
    clientIds: row.client_ids,
    environments: row.environments,
    startsAt: row.starts_at && instant(row.starts_at),
  };
}
