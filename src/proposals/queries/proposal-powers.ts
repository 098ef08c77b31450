import { type Expression, sql } from 'kysely';
import type { Instant } from '../../platform/units/instant.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import { jsonInstant, type JsonTime } from '../../platform/database/json-columns.ts';
import type { ListedVote } from '../../votes/queries/listed-votes.ts';
import { type LiveVoteJson, liveVoteOf, readLiveVote } from './own-participation.ts';
import { isVaultVisible, type ReaderScope } from '../../vaults/queries/visible-vaults.ts';
import { proposalPhases, votingPowerOf } from '../../votes/queries/voting-powers.ts';

/** What a wallet has staked in one vault, and its voting power at present. */
export interface VaultPower {
  readonly vaultId: string;
  readonly ftDecimals: number;
  /** Not yet returned to the wallet: in its script, or on the way to it. */
  readonly staked: BaseUnits;
  readonly votingPower: BaseUnits;
  readonly usedPower: BaseUnits;
}

/** The voting power of a wallet in one proposal, and its live vote there. */
export interface ProposalPower {
  readonly proposalId: string;
  /** Null until voting opens. */
  readonly votingStartsAt: Instant | null;
  readonly power: VaultPower;
  readonly vote: Omit<ListedVote, 'vaultId'> | null;
}

export interface ProposalPowerJson
  extends Pick<VaultPower, 'vaultId' | 'ftDecimals'>, Pick<ProposalPower, 'proposalId'> {
  readonly votingStartsAt: JsonTime | null;
  readonly staked: string | null;
  readonly votingPower: string;
  readonly vote: LiveVoteJson | null;
}

interface ProposalPowerFilter {
  readonly wallet: string;
  readonly readerScope: ReaderScope;
  readonly proposalId: string;
  /** What the wallet has staked in the vault of the proposal. */
  readonly staked: Expression<unknown>;
}

/** The power of a wallet in a proposal, as a column; null when there is none in a vault that the reader may see. */
export function proposalPower({ wallet, readerScope, proposalId, staked }: ProposalPowerFilter) {
  return sql<ProposalPowerJson | null>`(select json_build_object('proposalId', proposals.id, 'vaultId', proposals.vault_id,
      'ftDecimals', vaults.ft_decimals, 'votingStartsAt', voting_starts_at, 'staked', ${staked}::text,
      'votingPower', ${votingPowerOf(proposalPhases, wallet)}::text, 'vote', ${liveVoteOf(wallet)})
    from proposals join vaults on vaults.id = proposals.vault_id
    where proposals.id = ${proposalId} and ${isVaultVisible(sql.ref('proposals.vault_id'), readerScope)})`;
}

/** Reads the column of `proposalPower`. */
export function readProposalPower(json: ProposalPowerJson): ProposalPower {
  const { proposalId, votingStartsAt, vaultId, ftDecimals, staked, votingPower } = json;
  const vote = json.vote && { ...readLiveVote(json.vote), decimals: ftDecimals };
  return {
    proposalId,
    votingStartsAt: votingStartsAt === null ? null : jsonInstant(votingStartsAt),
    power: {
      vaultId,
      ftDecimals,
      staked: baseUnits(BigInt(staked ?? 0)),
      votingPower: baseUnits(BigInt(votingPower)),
      usedPower: vote?.vote.amount ?? baseUnits(0n),
    },
    vote,
  };
}
