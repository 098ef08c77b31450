import { sql } from 'kysely';
import type { Instant } from '../domain/instant.ts';
import { type BaseUnits, baseUnits } from '../domain/money.ts';
import type { Db, Transaction } from './database.ts';
import type { Proposal } from './proposals.ts';

export interface NewEndorsement {
  readonly id: string;
  readonly proposalId: string;
  readonly wallet: string;
  readonly createdAt: Instant;
}

/** False when the wallet has endorsed it before. */
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

/** The power of everyone who stands behind a proposal, its proposer among them, as their stakes are now; counted as `stakedPower` counts. */
export async function endorsingPower(
  db: Db | Transaction,
  { id, vaultId, proposer }: Pick<Proposal, 'id' | 'vaultId' | 'proposer'>,
  now: Instant,
): Promise<BaseUnits> {
  const { rows } = await sql<{ power: string }>`
    select coalesce(sum(voting_power), 0) as power from stakes
    where vault_id = ${vaultId} and voting_power > 0 and owner_alone_from > ${new Date(now)}
      and wallet in (select ${proposer} union select wallet from endorsements where proposal_id = ${id})
  `.execute(db);
  return baseUnits(BigInt(rows[0]?.power ?? 0));
}
