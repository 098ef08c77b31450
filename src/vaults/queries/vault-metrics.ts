import { sql } from 'kysely';
import { type Instant, instant } from '../../platform/units/instant.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { Turnout } from '../rules/metrics.ts';
import type { StoredTally } from '../../platform/database/tables/proposals.ts';
import type { Db } from '../../platform/database/database.ts';
import { prepared } from '../../platform/database/prepared-statements.ts';
import { findValuedVault, type ValuedVault } from '../../prices/queries/valued-vaults.ts';
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

/** A vault that the reader may see, with what its metrics depend on; null for one that is deleted or hidden. */
export async function findMeasuredVault(db: Db, vaultId: string, scope: ReaderScope): Promise<MeasuredVault | null> {
  const valued = await findValuedVault(db, vaultId, scope);
  if (!valued) return null;
  const measured = await db
    .selectFrom('vaults')
    .modifyFront(prepared)
    .select(['created_at', firstLockedValue.as('first_locked_value'), uniqueVoters.as('unique_voters')])
    .where('id', '=', vaultId)
    .executeTakeFirstOrThrow();
  const { first_locked_value: firstLocked } = measured;
  const proposals = await db
    .selectFrom('proposals')
    .modifyFront(prepared)
    .select('final_tally')
    .where('vault_id', '=', vaultId)
    .execute();
  return {
    ...valued,
    createdAt: instant(measured.created_at),
    participation: {
      uniqueVoters: Number(measured.unique_voters),
      proposals: proposals.length,
      turnouts: proposals.flatMap(({ final_tally: tally }) => (tally === null ? [] : [turnoutOf(tally)])),
    },
    firstLockedValue: firstLocked === null ? null : lovelace(BigInt(firstLocked)),
  };
}

const firstLockedValue = sql<string | null>`(
  select sum(div(quantity * price, power(10::numeric, decimals)))::text from assets
  where vault_id = vaults.id and assets.locked_at = (select min(assets.locked_at) from assets where vault_id = vaults.id))`;

const uniqueVoters = sql<string>`(
  select count(distinct wallet) from votes join proposals on proposals.id = votes.proposal_id
  where proposals.vault_id = vaults.id and votes.revoked_at is null)`;

function turnoutOf({ approve, reject, quorumBase }: StoredTally): Turnout {
  return { voted: BigInt(approve) + BigInt(reject), eligible: BigInt(quorumBase) };
}
