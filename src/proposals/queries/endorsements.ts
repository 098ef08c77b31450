import { sql } from 'kysely';
import type { Instant } from '../../platform/units/instant.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import type { Proposal } from './proposals.ts';

export interface NewEndorsement {
  readonly id: string;
  readonly proposalId: string;
  readonly wallet: string;
  readonly createdAt: Instant;
}

/** Records an endorsement; returns false when the wallet has endorsed the proposal before. */
export async function insertEndorsement(tx: Transaction, endorsement: NewEndorsement): Promise<boolean> {
  const { id, proposalId, wallet, createdAt } = endorsement;
  const inserted = await tx
    .insertInto('endorsements')
    .values({ id, proposal_id: proposalId, wallet, created_at: new Date(createdAt) })
    .onConflict((conflict) => conflict.columns(['proposal_id', 'wallet']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** The present voting power of the proposer and of everyone who endorses a proposal, counted as `stakedPower` counts. */
export async function endorsingPower(
  db: Db | Transaction,
  { id }: Pick<Proposal, 'id'>,
  now: Instant,
): Promise<BaseUnits> {
  const { rows } = await sql<{ power: string | null }>`
    select ${endorsingStakes(now)} as power from proposals where id = ${id}
  `.execute(db);
  return baseUnits(BigInt(rows[0]?.power ?? 0));
}

/** The rule of `endorsingPower` as a column of a statement that reads proposals; null for no power. */
export function endorsingStakes(now: Instant) {
  return sql<string | null>`(select sum(s.voting_power) from (
      select proposals.proposer as wallet
      union select wallet from endorsements where proposal_id = proposals.id
    ) behind join stakes s on s.vault_id = proposals.vault_id and s.wallet = behind.wallet
    where s.voting_power > 0 and s.owner_alone_from > ${new Date(now)})`;
}
