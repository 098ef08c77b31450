import { sql } from 'kysely';
import { baseUnits } from '../../platform/units/money.ts';
import type { Db } from '../../platform/database/database.ts';
import { type Page, readPage, type PageCount } from '../../platform/database/page.ts';
import {
  proposalPower,
  type ProposalPower,
  readProposalPower,
  type VaultPower,
} from '../../proposals/queries/proposal-powers.ts';
import { type ReaderScope, visibleTo } from '../../vaults/queries/visible-vaults.ts';

export interface PowerFilter {
  readonly wallet: string;
  readonly readerScope: ReaderScope;
  /** Restricts the powers to the vault of this proposal. */
  readonly proposalId?: string | undefined;
}

export interface ListedPowers {
  readonly powers: readonly VaultPower[];
  /** The number of vaults on all pages. */
  readonly count: PageCount;
  /** Null unless a proposal is named, and there is one in a vault that the reader may see. */
  readonly inProposal: ProposalPower | null;
}

const columns = { createdAt: 'vaults.created_at' } as const;

/**
 * A page of a wallet's voting powers by vault, in the order of the vaults, in the vaults that `readerScope` includes, or in that of a
 * proposal; the total, and the power in the proposal.
 */
export async function listPowers(
  db: Db,
  { wallet, readerScope, proposalId }: PowerFilter,
  page: Page<keyof typeof columns>,
): Promise<ListedPowers> {
  const held = heldStakes(db, wallet);
  const matching = held
    .$if(proposalId !== undefined, (query) =>
      query.where('vaults.id', '=', sql<string>`(select vault_id from proposals where id = ${proposalId})`),
    )
    .where('vaults.id', 'in', (query) => query.selectFrom('vaults').select('id').where(visibleTo(readerScope)));
  const grouped = matching
    .select(({ fn }) => [
      'vaults.id',
      'vaults.ft_decimals',
      fn.sum<string>('stakes.amount').as('staked'),
      fn.sum<string>('stakes.voting_power').as('voting_power'),
      fn.sum<string>('stakes.used_power').as('used_power'),
    ])
    .groupBy('vaults.id');
  const vaults = db.selectFrom(matching.select('vaults.id').distinct().as('vault'));
  const staked = held
    .where('vaults.id', '=', sql.ref<string>('proposals.vault_id'))
    .select(({ fn }) => fn.sum<string>('stakes.amount').as('staked'));
  const of = proposalId === undefined ? sql<null>`null` : proposalPower({ wallet, readerScope, proposalId, staked });
  const collection = { columns, tieBreak: ['vaults.id'], of };
  const { rows, count, of: inProposal } = await readPage(db, grouped, vaults, collection, page);
  const powers = rows.map((row) => ({
    vaultId: row.id,
    ftDecimals: row.ft_decimals,
    staked: baseUnits(BigInt(row.staked)),
    votingPower: baseUnits(BigInt(row.voting_power)),
    usedPower: baseUnits(BigInt(row.used_power)),
  }));
  return { powers, count, inProposal: inProposal && readProposalPower(inProposal) };
}

/** The stakes of a wallet that are in their scripts, or on the way there, with their vaults. */
function heldStakes(db: Db, wallet: string) {
  return (
    db
      .selectFrom('vaults')
      .innerJoin('stakes', 'stakes.vault_id', 'vaults.id')
      .innerJoin('chain_transactions as brought', 'brought.id', 'stakes.stake_transaction_id')
      .where('stakes.wallet', '=', wallet)
      .where('stakes.status', '!=', 'RELEASED')
      // A withdrawn transaction leaves the tokens with the wallet, which may stake them again.
      .where((eb) => eb.or([eb('brought.state', '!=', 'awaiting_signatures'), eb('brought.error', 'is', null)]))
  );
}
