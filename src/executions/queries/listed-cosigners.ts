import { sql } from 'kysely';
import type { Instant } from '../../platform/units/instant.ts';
import { type BaseUnits, baseUnits } from '../../platform/units/money.ts';
import { governingSupplyOfRow } from '../../staking/queries/circulating-supply.ts';
import type { Db } from '../../platform/database/database.ts';
import type { Page } from '../../platform/database/page.ts';
import type { Proposal } from '../../proposals/queries/proposals.ts';
import { stakersWith } from '../../staking/queries/stakers.ts';
import { readCosigners, type StoredCosigners } from './stored-cosigners.ts';
import { readThresholds } from '../../proposals/queries/stored-proposal.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';
import { isVaultVisible, type ReaderScope } from '../../vaults/queries/visible-vaults.ts';

/** What decides who may cosign a proposal, and a page of the wallets whose stakes are large enough. */
export interface CosignedProposal {
  readonly proposal: Pick<Proposal, 'requiredCosigners' | 'thresholds'>;
  readonly vault: Pick<Vault, 'cosigners'>;
  readonly supply: BaseUnits;
  readonly ftDecimals: number;
  /** None where the vault has registered cosigners. */
  readonly stakers: readonly { readonly wallet: string; readonly power: BaseUnits }[];
  /** The number of stakers on all pages. */
  readonly total: number;
}

interface Row {
  readonly required_cosigners: number;
  readonly thresholds: Parameters<typeof readThresholds>[0];
  readonly custody: StoredCosigners | null;
  readonly supply: string;
  readonly ft_decimals: number;
  readonly total: string;
  readonly wallet: string | null;
  readonly power: string | null;
}

/** Reads in one statement who may cosign a proposal now; null when there is none in a vault that the reader may see. */
export async function listLargeStakers(
  db: Db,
  proposalId: string,
  { scope, now }: { readonly scope: ReaderScope; readonly now: Instant },
  { limit, offset, sort }: Pick<Page<'staked'>, 'limit' | 'offset' | 'sort'>,
): Promise<CosignedProposal | null> {
  const ofGoverned = (column: string) => sql`(select ${sql.raw(column)} from governed)`;
  const share = { threshold: ofGoverned("(thresholds ->> 'cosigning')::numeric"), supply: ofGoverned('supply') };
  const { rows } = await sql<Row>`
    with governed as (
        select vault_id, required_cosigners, thresholds, custody, ft_decimals, ${governingSupplyOfRow}::numeric as supply
          from proposals join vaults on vaults.id = proposals.vault_id
          where proposals.id = ${proposalId} and ${isVaultVisible(sql.ref('proposals.vault_id'), scope)}
      ),
      eligible as materialized (${stakersWith(sql`(select vault_id from governed where custody is null)`, share, now)})
    select required_cosigners, thresholds, custody, supply, ft_decimals, (select count(*) from eligible) as total, wallet, power
      from governed left join (
        select wallet, power, row_number() over (order by power ${sql.raw(sort.direction)}, wallet) as position
          from eligible order by position limit ${limit} offset ${offset}
      ) as staker on true
      order by position`.execute(db);
  const [row] = rows;
  return row
    ? {
        proposal: { requiredCosigners: row.required_cosigners, thresholds: readThresholds(row.thresholds) },
        vault: { cosigners: row.custody && readCosigners(row.custody) },
        supply: baseUnits(BigInt(row.supply)),
        ftDecimals: row.ft_decimals,
        stakers: rows.flatMap(({ wallet, power }) =>
          wallet === null || power === null ? [] : [{ wallet, power: baseUnits(BigInt(power)) }],
        ),
        total: Number(row.total),
      }
    : null;
}
