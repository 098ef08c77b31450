import { sql } from 'kysely';
import type { Instant } from '../domain/units/instant.ts';
import { type BaseUnits, baseUnits } from '../domain/units/money.ts';
import type { Db, Transaction } from './database.ts';
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
  return (await endorsingPowers(db, [id], now)).get(id) ?? baseUnits(0n);
}

/** As `endorsingPower`, for many proposals; proposals without endorsing power are left out. */
export async function endorsingPowers(
  db: Db | Transaction,
  proposalIds: readonly string[],
  now: Instant,
): Promise<ReadonlyMap<string, BaseUnits>> {
  if (proposalIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; power: string }>`
    with behind as (
      select id, vault_id, proposer as wallet from proposals where id = any(${proposalIds}::uuid[])
      union
      select p.id, p.vault_id, e.wallet from endorsements e join proposals p on p.id = e.proposal_id
      where e.proposal_id = any(${proposalIds}::uuid[])
    )
    select behind.id, sum(s.voting_power) as power from behind join stakes s using (vault_id, wallet)
    where s.voting_power > 0 and s.owner_alone_from > ${new Date(now)}
    group by behind.id
  `.execute(db);
  return new Map(rows.map(({ id, power }) => [id, baseUnits(BigInt(power))]));
}

/** Those of the proposals that a wallet has endorsed. */
export async function endorsedBy(
  db: Db | Transaction,
  wallet: string,
  proposalIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (proposalIds.length === 0) return new Set();
  const query = db.selectFrom('endorsements').select('proposal_id').where('wallet', '=', wallet);
  const rows = await query.where('proposal_id', 'in', proposalIds).execute();
  return new Set(rows.map((row) => row.proposal_id));
}
