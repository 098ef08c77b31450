import { sql } from 'kysely';
import { type Instant, instant } from '../../platform/units/instant.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { Turnout } from '../rules/metrics.ts';
import type { Db } from '../../platform/database/database.ts';
import { findValuedRow, type ValuedVault } from '../../prices/queries/valued-vaults.ts';
import type { ReaderScope } from './visible-vaults.ts';

/** How much wallets have taken part in the governance of a vault. */
export interface Participation {
  /** Of all proposals; a wallet whose votes are all revoked is none. */
  readonly uniqueVoters: number;
  readonly proposals: number;
  /** Of the closed votes. */
  readonly turnouts: readonly Turnout[];
}

/** A vault with what its metrics depend on. */
export interface MeasuredVault extends ValuedVault {
  readonly createdAt: Instant;
  readonly participation: Participation;
  /** Lovelace, at its price then and in full, of what was locked first; null before. */
  readonly firstLockedValue: Lovelace | null;
}

interface MeasuredColumns {
  readonly vault_created_at: Date;
  readonly participation: Omit<Participation, 'turnouts'> & {
    readonly turnouts: readonly { readonly voted: string; readonly eligible: string }[];
  };
  readonly first_locked_value: string | null;
}

const participation = sql`(select json_build_object(
  'proposals', count(*),
  'uniqueVoters', (select count(distinct wallet) from votes join proposals p on p.id = votes.proposal_id
    where p.vault_id = vaults.id and votes.revoked_at is null),
  'turnouts', coalesce(json_agg(json_build_object(
    'voted', ((final_tally->>'approve')::numeric + (final_tally->>'reject')::numeric)::text,
    'eligible', final_tally->>'quorumBase'
  )) filter (where final_tally is not null), '[]')) from proposals where vault_id = vaults.id)`;

const firstLockedValue = sql`(select sum(div(quantity * price, power(10::numeric, decimals)))::text from assets
  where vault_id = vaults.id and assets.locked_at = (select min(assets.locked_at) from assets where vault_id = vaults.id))`;

const columns = sql<MeasuredColumns>`created_at as vault_created_at, ${participation} as participation, ${firstLockedValue} as first_locked_value`;

/** A vault that the reader may see, with what its metrics depend on, in one statement; null for one that is deleted or hidden. */
export async function findMeasuredVault(db: Db, vaultId: string, scope: ReaderScope): Promise<MeasuredVault | null> {
  const found = await findValuedRow(db, vaultId, scope, columns);
  if (!found) return null;
  const { vault, row } = found;
  const { turnouts, ...counts } = row.participation;
  return {
    ...vault,
    createdAt: instant(row.vault_created_at),
    participation: {
      ...counts,
      turnouts: turnouts.map(({ voted, eligible }) => ({ voted: BigInt(voted), eligible: BigInt(eligible) })),
    },
    firstLockedValue: row.first_locked_value === null ? null : lovelace(BigInt(row.first_locked_value)),
  };
}
