import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import type { ProposalType } from '../rules/proposal.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import { governingSupply } from '../../vaults/rules/governing-supply.ts';
import type { VaultTerms } from '../../vaults/rules/vault.ts';
import type { Tally } from '../../votes/rules/tally.ts';
import { circulatingSupply } from '../../staking/queries/circulating-supply.ts';
import type { Database, Db, Transaction } from '../../platform/database/database.ts';
import { endorsingStakes } from './endorsements.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import { type OwnParticipation, ownParticipation, type ProposalReader, readOwn } from './own-participation.ts';
import { prepared } from '../../platform/database/prepared-statements.ts';
import { type Proposal, readProposal } from './proposals.ts';
import { readCosigners } from '../../executions/queries/stored-cosigners.ts';
import { readTally } from './stored-proposal.ts';
import type { StoredTally } from '../../platform/database/tables/proposals.ts';
import { type ExecutionView, lastExecution, readExecutionView } from '../../executions/queries/viewed-executions.ts';
import { hasOverdue, isShownAs, type StatusFilter } from './overdue-proposals.ts';
import { isVaultVisible } from '../../vaults/queries/visible-vaults.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';
import { proposalPhases, votingPowerOf } from '../../votes/queries/voting-powers.ts';

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
    .modifyFront(prepared)
    .where('proposals.id', '=', proposalId)
    .where(isVaultVisible(sql.ref('proposals.vault_id'), reader.scope))
    .executeTakeFirst();
  return row ? readViewed(row) : null;
}

export interface ProposalFilter {
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
