import { ServiceError } from '../platform/errors/errors.ts';
import type { Caller } from '../access/rules/caller.ts';
import { averageQuorum, changeText } from './rules/metrics.ts';
import { printDuration } from '../platform/units/duration.ts';
import { ageSeconds, type Instant } from '../platform/units/instant.ts';
import { FULL_SHARE, type Lovelace, lovelace } from '../platform/units/money.ts';
import { printPercentage } from '../platform/units/percentage.ts';
import { findMeasuredVault, type MeasuredVault } from './queries/vault-metrics.ts';
import type { ServiceContext } from '../context.ts';
import { valueVault } from '../prices/read-valuation.ts';
import { readerScope } from './vault-access.ts';

/** The spec's metrics of a vault (design D39c). */
export interface VaultMetrics {
  readonly initial: Lovelace;
  readonly current: Lovelace;
  readonly change: string;
  readonly uniqueVoters: number;
  readonly averageQuorum: string;
  readonly proposals: number;
  readonly createdAt: Instant;
  readonly lockedAt: Instant | null;
  readonly age: string;
}

/** Reads the metrics of a vault. Throws VAULT_NOT_FOUND. */
export async function readMetrics(
  { db, readingTime }: Pick<ServiceContext, 'db' | 'readingTime'>,
  caller: Caller,
  vaultId: string,
): Promise<VaultMetrics> {
  const vault = await findMeasuredVault(db, vaultId, readerScope(caller));
  if (!vault) throw new ServiceError('VAULT_NOT_FOUND');
  const { createdAt, lockedAt, participation } = vault;
  const now = await readingTime();
  const initial = initialValue(vault);
  const current = valueVault(vault, now).totals.total;
  return {
    initial,
    current,
    change: changeText(initial, current),
    uniqueVoters: participation.uniqueVoters,
    averageQuorum: `${printPercentage(averageQuorum(participation.turnouts))}%`,
    proposals: participation.proposals,
    createdAt,
    lockedAt,
    age: printDuration(ageSeconds(createdAt, now)),
  };
}

/** V of the settlement; before, the value of what was locked first, with the vault's percentage (design D12). */
function initialValue({ settled, firstLockedValue, terms }: MeasuredVault): Lovelace {
  if (settled !== null) return settled.total;
  return lovelace(((firstLockedValue ?? 0n) * terms.floorPricePercentage) / FULL_SHARE);
}
