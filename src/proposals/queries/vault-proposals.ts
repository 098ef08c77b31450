import { sql } from 'kysely';
import type { ReservingProposal } from '../rules/affected-assets.ts';
import { contendersFor } from '../rules/contenders.ts';
import type { Instant } from '../../platform/units/instant.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { type Proposal, readProposal } from './proposals.ts';

/**
 * The other proposals of a vault that had passed and were not finished at an instant, whether or not a worker has recorded that:
 * their assets are taken (design D23). A proposal that has ended since counts when its own vote was over by that instant.
 */
export async function passedProposals(
  db: Db | Transaction,
  { id, vaultId }: Pick<Proposal, 'id' | 'vaultId'>,
  at: Instant,
): Promise<ReservingProposal[]> {
  const then = new Date(at);
  const endedSince = sql<boolean>`ended_at > ${then} and (voting_ends_at, id) < (${then}, ${id}::uuid)
    and (status = 'EXECUTED' or failure_reason in ('cancelled', 'execution_window_elapsed', 'execution_failed'))`;
  const rows = await db
    .selectFrom('proposals')
    .select(['id', 'asset_ids'])
    .where('vault_id', '=', vaultId)
    .where('id', '!=', id)
    .where((query) => query.or([query('execution_ends_at', '>', then), query('execution_sent', '=', true)]))
    .where((query) => query.or([query('status', '=', 'PASSED'), endedSince]))
    .execute();
  return rows.map((row) => ({ id: row.id, assetIds: row.asset_ids }));
}

/**
 * The other proposals of a vault that are not tallied yet, whose voting ends before this one's, and on which it depends whether an asset is
 * taken from this one; in the order in which it ends. Throws UnreadableRow for one of them; others that cannot be read are no matter.
 */
export async function untalliedBefore(
  db: Db | Transaction,
  { id, vaultId, status, phases, effect }: Proposal,
): Promise<Proposal[]> {
  if (status !== 'ACTIVE' || phases === null || effect.assetIds.length === 0) return [];
  const rows = await db
    .selectFrom('proposals')
    .selectAll()
    .where('vault_id', '=', vaultId)
    .where('status', '=', 'ACTIVE')
    .where(sql<boolean>`(voting_ends_at, id) < (${new Date(phases.voting.endsAt)}, ${id}::uuid)`)
    .where(sql<boolean>`cardinality(asset_ids) > 0`)
    .orderBy('voting_ends_at')
    .orderBy('id')
    .execute();
  const earlier = rows.map((row) => ({ assetIds: row.asset_ids, row }));
  return contendersFor(effect.assetIds, earlier).map(({ row }) => readProposal(row));
}

/** The proposals of a vault that have neither failed nor been executed, oldest first. */
export async function liveProposalIds(db: Db | Transaction, vaultId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('proposals')
    .select('id')
    .where('vault_id', '=', vaultId)
    .where('status', 'in', ['DRAFT', 'ACTIVE', 'PASSED'])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}
