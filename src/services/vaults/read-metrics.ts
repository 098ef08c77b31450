import type { Caller } from '../../domain/identity/caller.ts';
import { averageQuorum, changeText } from '../../domain/vault/metrics.ts';
import { printDuration } from '../../domain/units/duration.ts';
import { ageSeconds, type Instant } from '../../domain/units/instant.ts';
import { FULL_SHARE, type Lovelace, lovelace } from '../../domain/units/money.ts';
import { printPercentage } from '../../domain/units/percentage.ts';
import { firstLockedValue, vaultParticipation } from '../../store/vault-metrics.ts';
import type { Vault } from '../../store/vaults.ts';
import type { ServiceContext } from '../context.ts';
import { valueVault, type VaultValuation } from '../valuation/read-valuation.ts';
import { requireReadableVault } from './vault-access.ts';

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
  context: Pick<ServiceContext, 'db' | 'readingTime'>,
  caller: Caller,
  vaultId: string,
): Promise<VaultMetrics> {
  const { db } = context;
  const vault = await requireReadableVault(context, caller, vaultId);
  const now = await context.readingTime();
  const [valuation, participation] = await Promise.all([valueVault(db, vault, now), vaultParticipation(db, vaultId)]);
  const initial = await initialValue(context, vault, valuation);
  const current = valuation.totals.total;
  return {
    initial,
    current,
    change: changeText(initial, current),
    uniqueVoters: participation.uniqueVoters,
    averageQuorum: `${printPercentage(averageQuorum(participation.turnouts))}%`,
    proposals: participation.proposals,
    createdAt: vault.createdAt,
    lockedAt: vault.lockedAt,
    age: printDuration(ageSeconds(vault.createdAt, now)),
  };
}

/** V of the settlement; before, the value of what was locked first, with the vault's percentage (design D12). */
async function initialValue(
  { db }: Pick<ServiceContext, 'db'>,
  { id, terms }: Vault,
  { settled }: VaultValuation,
): Promise<Lovelace> {
  if (settled !== null) return settled.total;
  const first = (await firstLockedValue(db, id)) ?? 0n;
  return lovelace((first * terms.floorPricePercentage) / FULL_SHARE);
}
