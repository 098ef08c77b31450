import { sql } from 'kysely';
import type { Turnout } from '../domain/vault/metrics.ts';
import { type Lovelace, lovelace } from '../domain/units/money.ts';
import type { Db } from './database.ts';

/** How much wallets have taken part in the governance of a vault. */
export interface Participation {
  readonly uniqueVoters: number;
  readonly proposals: number;
  /** Of the closed votes. */
  readonly turnouts: readonly Turnout[];
}

/** Counts the voters of all proposals of a vault; a wallet whose votes are all revoked is none. */
export async function vaultParticipation(db: Db, vaultId: string): Promise<Participation> {
  const { rows } = await sql<{ proposals: number; voters: number; turnouts: { voted: string; eligible: string }[] }>`
    select count(*)::int as proposals,
      (select count(distinct wallet)::int from votes join proposals p on p.id = votes.proposal_id
        where p.vault_id = ${vaultId} and votes.revoked_at is null) as voters,
      coalesce(json_agg(json_build_object(
        'voted', ((final_tally->>'approve')::numeric + (final_tally->>'reject')::numeric)::text,
        'eligible', final_tally->>'quorumBase'
      )) filter (where final_tally is not null), '[]') as turnouts
    from proposals where vault_id = ${vaultId}`.execute(db);
  const { proposals = 0, voters = 0, turnouts = [] } = rows[0] ?? {};
  return {
    uniqueVoters: voters,
    proposals,
    turnouts: turnouts.map(({ voted, eligible }) => ({ voted: BigInt(voted), eligible: BigInt(eligible) })),
  };
}

/** Lovelace, at its price then and in full, of what was locked first in a vault; null before. */
export async function firstLockedValue(db: Db, vaultId: string): Promise<Lovelace | null> {
  const { rows } = await sql<{ value: string | null }>`
    select sum(div(quantity * price, power(10::numeric, decimals)))::text as value from assets
    where vault_id = ${vaultId} and locked_at = (select min(locked_at) from assets where vault_id = ${vaultId})`.execute(
    db,
  );
  const value = rows[0]?.value ?? null;
  return value === null ? null : lovelace(BigInt(value));
}
