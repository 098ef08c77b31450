import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import { type ExecutionView, lastExecution, readExecutionView } from '../../executions/queries.ts';
import { readCosigners } from '../../platform/database/stored-json.ts';
import type { Database, Db, Transaction } from '../../platform/database/database.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import type { StoredTally } from '../../platform/database/tables/governance.ts';
import type { Instant } from '../../platform/units/time.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import {
  endorsingStakes,
  type OwnParticipation,
  ownParticipation,
  type ProposalReader,
  readOwn,
} from './participation.ts';
import { type Proposal, readProposal, readTally } from './proposals.ts';
import type { ReservingProposal } from '../rules/affected-assets.ts';
import { type ProposalType, conflictingProposals, type ProposalStatus } from '../rules/proposal.ts';
import { circulatingSupply } from '../../staking/queries/vault-stakes.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';
import { isVaultVisible } from '../../vaults/queries/viewed-vaults.ts';
import { governingSupply, type VaultTerms } from '../../vaults/rules/vault.ts';
import { proposalPhases, votingPowerOf } from '../../votes/queries/voting-powers.ts';
import type { Tally } from '../../votes/rules.ts';

/** What of its vault a proposal depends on. */
export type GoverningVault = Pick<Vault, 'status' | 'failedBecause' | 'claimsOpen' | 'createdBy' | 'cosigners'> & {
  readonly terms: Pick<VaultTerms, 'ftSupply' | 'ftDecimals'>;
};

/** A proposal with all that its reader sees of it. Amounts are in base units. */
export interface ViewedProposal {
  readonly proposal: Proposal;
  readonly vault: GoverningVault;
  /** The tokens of which shares count that holders need. */
  readonly supply: BaseUnits;
  /** The votes now, and who could vote; null once the vote is closed. */
  readonly open: { readonly tally: Tally; readonly quorumBase: BaseUnits; readonly circulating: BaseUnits } | null;
  /** Whether another proposal that is no draft names one of its assets. */
  readonly hasRivals: boolean;
  /** Hash of the transaction that anchors the closed vote; null until it is anchored. */
  readonly closingHash: string | null;
  readonly execution: ExecutionView | null;
  /** What the proposer and all endorsers have staked now; 0 once voting has opened. */
  readonly endorsing: BaseUnits;
  /** What the proposer has staked now. */
  readonly proposerPower: BaseUnits;
  /** Null for a key alone. */
  readonly own: OwnParticipation | null;
}

/** A proposal; null when there is none in a vault that the reader may see. */
export async function findViewedProposal(
  db: Db | Transaction,
  proposalId: string,
  reader: ProposalReader,
): Promise<ViewedProposal | null> {
  const row = await proposalViews(db, reader)
    .where('proposals.id', '=', proposalId)
    .where(isVaultVisible(sql.ref('proposals.vault_id'), reader.scope))
    .executeTakeFirst();
  return row ? readViewed(row) : null;
}

interface ProposalFilter {
  readonly vaultId: string;
  readonly type?: ProposalType | undefined;
  readonly createdBy?: string | undefined;
  readonly status?: StatusFilter | undefined;
}

const columns = {
  createdAt: 'proposals.created_at',
  updatedAt: 'proposals.updated_at',
  type: 'proposals.type',
  status: 'proposals.status',
} as const;

/**
 * A page of a vault's proposals, the total, and with a status filter whether one of the vault is overdue; null when the vault is hidden
 * from the reader.
 */
export async function listViewedProposals(
  db: Db,
  { vaultId, type, createdBy, status }: ProposalFilter,
  reader: ProposalReader,
  page: Page<keyof typeof columns>,
): Promise<{ proposals: ViewedProposal[]; count: PageCount; isOneOverdue: boolean } | null> {
  const filter = givenFields({ 'proposals.vault_id': vaultId, 'proposals.type': type, proposer: createdBy });
  const isShown = status === undefined ? sql<boolean>`true` : isShownAs(status);
  const isWanted = (eb: ExpressionBuilder<Database, 'proposals'>) => eb.and([eb.and(filter), isShown]);
  const matching = db.selectFrom('proposals').where(isWanted);
  const rows = proposalViews(db, reader, sql`${vaultId}::uuid`).where(isWanted);
  const visible = isVaultVisible(vaultId, reader.scope);
  const of = status === undefined ? sql<boolean>`false` : hasOverdue(vaultId, reader.now);
  const collection = { columns, tieBreak: ['proposals.id'], tieBreakFollowsSort: true, visible, of };
  const { rows: found, count, isVisible, of: isOneOverdue } = await readPage(db, rows, matching, collection, page);
  if (!isVisible) return null;
  return { proposals: found.map(readViewed), count, isOneOverdue: isOneOverdue === true };
}

/** `vaultId` where it is the same for all rows: what only depends on it is then computed once. */
function proposalViews(
  db: Db | Transaction,
  reader: ProposalReader,
  vaultId: RawBuilder<unknown> = sql.ref('proposals.vault_id'),
) {
  const staked = sql`s.voting_power > 0 and s.owner_alone_from > ${new Date(reader.now)}`;
  return db
    .selectFrom('proposals')
    .innerJoin('vaults', 'vaults.id', 'proposals.vault_id')
    .selectAll('proposals')
    .select([
      'vaults.status as vault_status',
      'vaults.failed_because as vault_failed_because',
      'vaults.claims_open as vault_claims_open',
      'vaults.created_by as vault_created_by',
      'vaults.custody as vault_custody',
      'vaults.ft_supply as vault_ft_supply',
      'vaults.ft_decimals as vault_ft_decimals',
    ])
    .select([
      sql<Omit<StoredTally, 'quorumBase'> | null>`case when proposals.final_tally is null then (
        select json_build_object('voters', count(*),
          'approve', coalesce(sum(amount) filter (where decision = 'APPROVE'), 0)::text,
          'reject', coalesce(sum(amount) filter (where decision = 'REJECT'), 0)::text)
        from votes where proposal_id = proposals.id and votes.revoked_at is null) end`.as('live_tally'),
      sql<string | null>`case when proposals.final_tally is null then ${votingPowerOf(proposalPhases)} end`.as(
        'quorum_base',
      ),
      sql<string | null>`case when proposals.final_tally is null
        then ${circulatingSupply(vaultId)} end`.as('circulating'),
      sql<string | null>`case when vaults.claims_open then ${circulatingSupply(vaultId)} end`.as('claimable_supply'),
      sql<boolean>`exists (select from proposals rival where proposals.status = 'ACTIVE'
        and rival.vault_id = proposals.vault_id and rival.id <> proposals.id and rival.status <> 'DRAFT'
        and rival.asset_ids && proposals.asset_ids)`.as('has_rivals'),
      sql<
        string | null
      >`(select carrier.hash from anchor_facts fact join anchor_batches batch on batch.id = fact.batch_id
        join chain_transactions carrier on carrier.id = batch.transaction_id
        where fact.id = proposals.closing_fact_id)`.as('closing_hash'),
      lastExecution.as('execution'),
      sql<string | null>`case when proposals.opened_with is null then ${endorsingStakes(reader.now)} end`.as(
        'endorsing',
      ),
      sql<string | null>`(select sum(s.voting_power) from stakes s where s.vault_id = proposals.vault_id
        and s.wallet = proposals.proposer and ${staked})`.as('proposer_power'),
      ownParticipation(reader, vaultId, staked).as('own'),
    ]);
}

type ViewedRow = Awaited<ReturnType<ReturnType<typeof proposalViews>['executeTakeFirstOrThrow']>>;

function readViewed(row: ViewedRow): ViewedProposal {
  const amount = (text: string | null) => baseUnits(BigInt(text ?? 0));
  const vault = readVault(row);
  return {
    proposal: readProposal(row),
    vault,
    supply: governingSupply(vault, row.claimable_supply === null ? null : amount(row.claimable_supply)),
    open: row.live_tally && {
      tally: readTally(row.live_tally),
      quorumBase: amount(row.quorum_base),
      circulating: amount(row.circulating),
    },
    hasRivals: row.has_rivals,
    closingHash: row.closing_hash,
    execution: row.execution && readExecutionView(row.execution),
    endorsing: amount(row.endorsing),
    proposerPower: amount(row.proposer_power),
    own: row.own && readOwn(row.own),
  };
}

function readVault(row: ViewedRow): GoverningVault {
  return {
    status: row.vault_status,
    failedBecause: row.vault_failed_because,
    claimsOpen: row.vault_claims_open,
    createdBy: row.vault_created_by,
    cosigners: row.vault_custody && readCosigners(row.vault_custody),
    terms: { ftSupply: baseUnits(BigInt(row.vault_ft_supply)), ftDecimals: row.vault_ft_decimals },
  };
}

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
  return conflictingProposals(effect.assetIds, earlier).map(({ row }) => readProposal(row));
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

/** A filter by the status that readers see: no worker has moved the overdue proposals on yet. */
export interface StatusFilter {
  readonly status: ProposalStatus;
  readonly overdueIds: readonly string[];
  /** Those of the overdue proposals that readers see in this status. */
  readonly shownIds: readonly string[];
}

/** The proposals of a vault whose stored status should have changed by now. */
export async function overdueProposals(db: Db, vaultId: string, now: Instant): Promise<Proposal[]> {
  const rows = await db.selectFrom('proposals').selectAll().where(isOverdue(vaultId, now)).execute();
  return rows.map(readProposal);
}

/** Whether a vault has overdue proposals, as a column. */
function hasOverdue(vaultId: string, now: Instant) {
  return sql<boolean>`exists (select from proposals where ${isOverdue(vaultId, now)})`;
}

function isOverdue(vaultId: string, now: Instant) {
  return sql<boolean>`(vault_id = ${vaultId} and ${new Date(now)} >= case status
    when 'DRAFT' then draft_expires_at when 'ACTIVE' then voting_ends_at when 'PASSED' then execution_ends_at end)`;
}

/** Whether readers see a proposal in the status, as a condition. */
function isShownAs({ status, overdueIds, shownIds }: StatusFilter) {
  return sql<boolean>`(proposals.status = ${status} and proposals.id <> all(${overdueIds}::uuid[])
    or proposals.id = any(${shownIds}::uuid[]))`;
}
