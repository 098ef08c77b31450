import { sql } from 'kysely';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { deleteOldRows } from '../../platform/database/delete-old-rows.ts';
import { type Instant, instant } from '../../platform/units/time.ts';
import type { AnchoredActionKind } from '../rules/proposal.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';

/** When the latest `limit` actions of a kind since an instant were, by wallet; the latest first. */
export async function latestAnchoredActions(
  tx: Transaction,
  {
    wallets,
    kind,
    limit,
    since,
  }: { wallets: readonly string[]; kind: AnchoredActionKind; limit: number; since: Instant },
): Promise<ReadonlyMap<string, readonly Instant[]>> {
  const { rows } = await sql<{ wallet: string; times: readonly Date[] }>`
    select wallet, array(select at from anchored_actions
      where anchored_actions.wallet = asked.wallet and kind = ${kind} and at > ${new Date(since)}
      order by at desc limit ${limit}) as times
    from unnest(${[...new Set(wallets)]}::text[]) as asked (wallet)`.execute(tx);
  return new Map(rows.map(({ wallet, times }) => [wallet, times.map((at) => instant(at))]));
}

/** Records that wallets have done an action of a kind now; a wallet may be named several times. */
export async function recordAnchoredActions(
  tx: Transaction,
  { wallets, kind, now }: { wallets: readonly string[]; kind: AnchoredActionKind; now: Instant },
): Promise<void> {
  const values = wallets.map((wallet) => ({ wallet, kind, at: new Date(now) }));
  if (values.length > 0) await tx.insertInto('anchored_actions').values(values).execute();
}

/** Deletes anchored actions that were done until an instant, the oldest first; returns how many. */
export function deleteAnchoredActions(db: Db, until: Instant): Promise<number> {
  return deleteOldRows(db, { table: 'anchored_actions', column: 'at', until: new Date(until) });
}

/** The governance settings that a vault's creator requested, except the thresholds; durations in seconds. */
export interface GovernanceSettings {
  readonly votingSeconds?: number;
  readonly lockSeconds?: number;
  readonly executionSeconds?: number;
  readonly requiredCosigners?: number;
  /** Where the vault may stake its assets. */
  readonly stakingAddresses?: readonly string[];
}

/** The requested settings of a vault; settings that were not given are absent. */
export function governanceSettings({ metadata }: Pick<Vault, 'metadata'>): GovernanceSettings {
  return metadata['governance'] ?? {};
}

/** Where a vault may stake its assets. */
export function stakingAddressesOf(vault: Pick<Vault, 'metadata'>): readonly string[] {
  return governanceSettings(vault).stakingAddresses ?? [];
}
