import { sql, type RawBuilder } from 'kysely';
import type { BookTransaction, VaultBooks, BookHolding, BookOutput, BookTokens } from '../rules/books.ts';
import type { HeldOutput } from '../rules/residual-outputs.ts';
import type { Utxo } from '../../cardano/transaction.ts';
import { followedTip } from '../../ledger-follower/queries/blocks.ts';
import type { Transaction, Db } from '../../platform/database/database.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';
import { instant, type Instant } from '../../platform/units/time.ts';
import { baseUnits, lovelace } from '../../platform/units/money.ts';
import { circulatingSupply } from '../../staking/queries/vault-stakes.ts';
import { findTermination } from '../../termination/queries/terminations.ts';
import { isPotKept, type ClaimableVault } from '../../termination/rules/claims.ts';
import { readStoredUtxo, type StoredUtxo } from '../../platform/database/stored-json.ts';
import { type TransactionKind, refText } from '../../transactions/rules.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';
import type { VaultAddressKind, VaultAddress } from '../../vaults/rules/vault.ts';

/** Transactions of stakes that were final so long ago that a scan has left out their addresses are not compared again. */
const COMPARED_DAYS = 30;

/** What Postgres says of a vault. Read in one transaction, it is all of one instant. */
export async function readVaultBooks(tx: Transaction, vault: Vault, addresses: OwnAddresses): Promise<VaultBooks> {
  const { id, status, failedBecause, policyId, ftUnit, countedAssets, settlesBy, terms } = vault;
  const block = await followedTip(tx);
  if (!block) throw new Error('the ledger was not followed yet');
  const outputs = await bookOutputs(tx, addresses);
  return {
    vault: { id, status, failedBecause, policyId, ftUnit, ftSupply: terms.ftSupply, countedAssets, settlesBy },
    block,
    outputs,
    transactions: await bookTransactions(tx, id),
    assets: await bookAssets(tx, id),
    investments: await bookInvestments(tx, id),
    stakes: await bookStakes(tx, id),
    claims: await bookClaims(tx, id),
    tokens: await bookTokens(tx, vault, addresses),
    leasesLeft: await leasesLeft(tx, id),
  };
}

async function bookTransactions(tx: Transaction, vaultId: string): Promise<BookTransaction[]> {
  const { rows } = await sql<{
    hash: string;
    kind: BookTransaction['kind'];
    state: BookTransaction['state'];
    block_height: string | null;
    expires_at: Date;
    rows: number | null;
  }>`
    select hash, kind, state, block_height, expires_at, (case kind
        when 'add_asset' then (select count(*) from assets where add_transaction_id = t.id)
        when 'invest' then (select count(*) from investments where transaction_id = t.id)
        when 'stake' then (select count(*) from stakes where stake_transaction_id = t.id)
        when 'claim' then (select count(*) from claims where claim_transaction_id = t.id)
      end)::int as rows
    from chain_transactions t
    where vault_id = ${vaultId} and not (kind in ('stake', 'unstake') and state = 'final'
      and updated_at < (select max(made_at) from blocks) - make_interval(days => ${COMPARED_DAYS}))`.execute(tx);
  return rows.map(({ hash, kind, state, block_height: height, expires_at: expiresAt, rows: count }) => {
    const blockHeight = height === null ? null : Number(height);
    return { hash, kind, state, blockHeight, expiresAt: instant(expiresAt), rows: count };
  });
}

async function leasesLeft(tx: Transaction, vaultId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('utxo_leases')
    .innerJoin('chain_transactions as holder', 'holder.id', 'utxo_leases.transaction_id')
    .select(['tx_hash as txHash', 'output_index as index'])
    .where('holder.vault_id', '=', vaultId)
    .where('holder.state', 'in', ['expired', 'failed'])
    .execute();
  return rows.map(refText);
}

async function bookAssets(tx: Transaction, vaultId: string): Promise<VaultBooks['assets']> {
  const rows = await tx
    .selectFrom('assets')
    .select(['id', 'policy_id', 'asset_name', 'quantity', 'status', 'staking_address'])
    .where('vault_id', '=', vaultId)
    .where('status', '=', 'LOCKED')
    .execute();
  return rows.map(({ id, policy_id: policyId, asset_name: name, quantity, status, staking_address: at }) => {
    return { id, unit: policyId + name, quantity: BigInt(quantity), status, isStaked: at !== null };
  });
}

async function bookInvestments(tx: Transaction, vaultId: string): Promise<VaultBooks['investments']> {
  const rows = await tx
    .selectFrom('investments')
    .innerJoin('chain_transactions as brought', 'brought.id', 'investments.transaction_id')
    .select(['investments.id', 'investments.status', 'investments.lovelace', 'delivery_deposit as extra', 'hash'])
    .where('investments.vault_id', '=', vaultId)
    .execute();
  return rows.map(({ extra, lovelace, ...row }) => holding({ ...row, amount: BigInt(lovelace) + BigInt(extra) }));
}

async function bookStakes(tx: Transaction, vaultId: string): Promise<VaultBooks['stakes']> {
  const rows = await tx
    .selectFrom('stakes')
    .innerJoin('chain_transactions as brought', 'brought.id', 'stakes.stake_transaction_id')
    .select(['stakes.id', 'stakes.status', 'stakes.amount', 'hash'])
    .where('stakes.vault_id', '=', vaultId)
    .execute();
  return rows.map(({ amount, ...row }) => holding({ ...row, amount: BigInt(amount) }));
}

function holding<Status extends string>(row: {
  readonly id: string;
  readonly status: Status;
  readonly hash: string;
  readonly amount: bigint;
}): BookHolding<Status> {
  const { hash: txHash, ...rest } = row;
  return { ...rest, output: { txHash, index: 0 } };
}

async function bookClaims(tx: Transaction, vaultId: string): Promise<VaultBooks['claims']> {
  const rows = await tx
    .selectFrom('claims')
    .innerJoin('chain_transactions as paid', 'paid.id', 'claims.claim_transaction_id')
    .select(['claims.id', 'claims.status', 'hash'])
    .where('claims.vault_id', '=', vaultId)
    .execute();
  return rows.map(({ id, status, hash }) => ({ id, isPaid: status === 'PAID', transactionHash: hash }));
}

/** Every output at the addresses of a vault, spent or not, as far as the ledger is followed. */
async function bookOutputs(tx: Transaction, addresses: OwnAddresses): Promise<BookOutput[]> {
  const rows = await tx
    .selectFrom(vaultOutputs(addresses).as<'made'>(sql.ref('made')))
    .selectAll()
    .execute();
  return rows.map((row) => {
    const { tx_hash: txHash, output_index: index, address, lovelace, assets } = row;
    return {
      ...readStoredUtxo({ txHash, index, address, lovelace, assets }),
      ref: refText({ txHash, index }),
      place: row.place,
      isUnsolicited: row.unsolicited,
      isSpent: row.spent_at !== null,
      spender: row.spender,
    };
  });
}

/** What is recorded of the shares of a vault's token. */
async function bookTokens(tx: Transaction, vault: Vault, addresses: OwnAddresses): Promise<BookTokens> {
  const [planned, paidOtherwise] = [await plannedTokens(tx, vault.id), await deliveriesOtherwise(tx, vault.id)];
  const termination = await findTermination(tx, vault.id);
  const isOpen = termination !== null && termination.claimsOpenedAt !== null;
  return {
    planned: planned.sum === null ? null : BigInt(planned.sum),
    circulating: isOpen ? termination.pot.circulating : BigInt(planned.circulating),
    // Once claims are open, holders there have what everybody has.
    outside: isOpen ? 0n : await sentOutside(tx, vault, addresses),
    paidOtherwise,
    potLovelace:
      isOpen && (termination.endedBecause === null || isPotKept(termination)) ? termination.pot.lovelace : null,
  };
}

async function plannedTokens(tx: Transaction, vaultId: string) {
  const { rows } = await sql<{ sum: string | null; circulating: string }>`
    select (
      select (s.distribution ->> 'lpFt')::numeric + coalesce((
        select sum(e.ft) from entitlements e where e.vault_id = s.vault_id), 0)
      from settlements s where s.vault_id = ${vaultId}
    ) as sum, ${circulatingSupply(sql`${vaultId}::uuid`)} as circulating`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`there is no vault ${vaultId}`);
  return row;
}

async function deliveriesOtherwise(tx: Transaction, vaultId: string): Promise<BookTokens['paidOtherwise']> {
  const { rows } = await sql<{ deposit_id: string; planned: string; paid: string }>`
    select e.deposit_id, e.ft as planned, d.payment ->> 'ft' as paid
    from transaction_deposits d
      join chain_transactions t on t.id = d.transaction_id
      join entitlements e on e.deposit_id = d.deposit_id and e.vault_id = t.vault_id
    where t.vault_id = ${vaultId} and t.kind = 'deliver' and t.state in ('confirmed', 'final')
      and (d.payment ->> 'ft')::numeric <> e.ft`.execute(tx);
  return rows.map(({ deposit_id: depositId, planned, paid }) => {
    return { depositId, planned: BigInt(planned), paid: BigInt(paid) };
  });
}

/** The tokens of the liquidity share, if the deployment has an address of its own for it. */
async function sentOutside(tx: Transaction, { id, ftUnit }: Vault, { own }: OwnAddresses): Promise<bigint> {
  const rows = await tx
    .selectFrom('chain_transactions')
    .select(sql<StoredUtxo | null>`outputs -> 0`.as('share'))
    .where('vault_id', '=', id)
    .where('kind', '=', 'liquidity')
    .where('state', 'in', ['confirmed', 'final'])
    .execute();
  const outside = rows.flatMap(({ share }) =>
    share && own.every(({ address }) => address !== share.address) ? [share.assets[ftUnit ?? ''] ?? '0'] : [],
  );
  return outside.reduce((sum, quantity) => sum + BigInt(quantity), 0n);
}

/** An unspent output of a vault. */
export interface ListedHeldOutput extends Omit<HeldOutput, 'units'> {
  readonly utxo: Utxo;
  /** When the transaction that made it was in a block; of an unsolicited output, when it was found. */
  readonly heldSince: Instant;
}

interface HeldOutputFilter extends OwnAddresses {
  readonly place?: VaultAddressKind | undefined;
}

const columns = { heldSince: 'made_at', lovelace: 'lovelace' } as const;

/** A page of the outputs that the ledger holds at the addresses of a vault, the total, and its pot; null for one that does not end. */
export async function listHeldOutputs(
  db: Db,
  { place, ...addresses }: HeldOutputFilter,
  page: Page<keyof typeof columns>,
): Promise<{ outputs: ListedHeldOutput[]; count: PageCount; pot: EndingPot | null }> {
  const source = sql`with unspent as materialized (select * from ${vaultOutputs(addresses)} as made where spent_at is null) `;
  const held = db
    .selectFrom(sql<VaultOutputRow>`unspent`.as<'held'>(sql.ref('held')))
    .where((eb) => eb.and(givenFields({ place })));
  const of = endingPot(addresses.vaultId);
  const collection = { columns, tieBreak: ['tx_hash', 'output_index'], source, of };
  const { rows, count, of: pot } = await readPage(db, held.selectAll(), held, collection, page);
  return { outputs: rows.map(readHeldOutput), count, pot: pot && readEndingPot(pot) };
}

/** Reads an unspent output of `vaultOutputs`. */
function readHeldOutput(row: VaultOutputRow): ListedHeldOutput {
  const { tx_hash: txHash, output_index: index, address, lovelace, assets } = row;
  return {
    utxo: readStoredUtxo({ txHash, index, address, lovelace, assets }),
    place: row.place,
    madeBy: row.made_by,
    isUnsolicited: row.unsolicited,
    heldSince: instant(row.made_at),
  };
}

/** An output that was made at an address of a vault, by a transaction that is on the ledger as far as it is followed. */
interface VaultOutputRow {
  readonly tx_hash: string;
  readonly output_index: number;
  readonly address: string;
  readonly place: VaultAddressKind;
  /** As text; `lovelace_number` sorts. */
  readonly lovelace: string;
  readonly assets: StoredUtxo['assets'];
  /** Null for an output that no transaction of the vault made. */
  readonly made_by: TransactionKind | null;
  readonly unsolicited: boolean;
  readonly made_at: Date;
  readonly made_order: Date;
  /** Null while it is unspent; the spender may be unknown all the same. */
  readonly spent_at: Date | null;
  readonly spent_order: Date | null;
  readonly spender: string | null;
}

/**
 * Every output of a vault, spent or not, as a relation: of the recorded transactions that are on the ledger at present, whatever their
 * kind, with what owners reclaimed, and with unsolicited outputs. What was rolled back, withdrawn or never signed is not in it. What a
 * scan found only after the block that spends it was made before that, all the same.
 */
export function vaultOutputs({ vaultId, own }: OwnAddresses): RawBuilder<VaultOutputRow> {
  return sql<VaultOutputRow>`(
    with confirmed as materialized (${confirmedTransactions(vaultId)}),
      places as materialized (${ownAddressRows(vaultId, own)}),
      -- Joined when it is known, or Postgres reads all places for each transaction.
      paid as materialized (${paidOutputs}),
      made as (${madeOutputs(vaultId)}),
      spent as (${spentOutputs(vaultId)})
    select tx_hash, output_index, address, place, lovelace, assets, made_by, unsolicited,
        least(made_at, spent_at) as made_at,
        least(made_order, spent_order - interval '1 microsecond') as made_order,
        spent_at, spent_order, spender
      from made left join spent using (tx_hash, output_index)
  )`;
}

/** A vault, and the addresses that belong to itself; those of its depositors and stakers are known from its rows. */
export interface OwnAddresses {
  readonly vaultId: string;
  readonly own: readonly Pick<VaultAddress, 'kind' | 'address'>[];
}

// What the relation of a vault's outputs is made from; each reads those before it by their names.

/** `confirmed`: the recorded transactions of a vault that are on the ledger. */
function confirmedTransactions(vaultId: string) {
  return sql`
    select t.hash, t.kind, t.inputs, t.outputs, t.created_at, coalesce((
        select h.at from chain_transaction_history h
        where h.transaction_id = t.id and h.state = 'confirmed' order by h.position desc limit 1
      ), t.updated_at) as confirmed_at
    from chain_transactions t where t.vault_id = ${vaultId} and t.state in ('confirmed', 'final')`;
}

/** `places`: the addresses of a vault. */
function ownAddressRows(vaultId: string, own: OwnAddresses['own']) {
  return sql`
    select distinct on (address) address, place from (
      select address, place, 0 as rank
        from unnest(${own.map(({ address }) => address)}::text[], ${own.map(({ kind }) => kind)}::text[])
          as own (address, place)
      union all
      select t.outputs -> a.deposit_index ->> 'address', 'deposit', 1
        from assets a join chain_transactions t on t.id = a.add_transaction_id
        where a.vault_id = ${vaultId} and t.state in ('confirmed', 'final')
      union all
      select t.outputs -> 0 ->> 'address', 'deposit', 1
        from investments i join chain_transactions t on t.id = i.transaction_id
        where i.vault_id = ${vaultId} and t.state in ('confirmed', 'final')
      union all select script_address, 'stake', 1 from stakes where vault_id = ${vaultId}
      union all select address, place, 2 from unsolicited_outputs where vault_id = ${vaultId}
    ) as known where address is not null order by address, rank`;
}

/** `paid`: all outputs of `confirmed`, those of others too. */
const paidOutputs = sql`
    select hash as tx_hash, (o ->> 'index')::int as output_index, o ->> 'address' as address, (o ->> 'lovelace')::numeric as lovelace,
        o -> 'assets' as assets, kind, confirmed_at, created_at
      from confirmed cross join lateral jsonb_array_elements(outputs) as o`;

/** `made`: the outputs. An unsolicited one that is gone although no transaction spent it was rolled back with its block. */
function madeOutputs(vaultId: string) {
  return sql`
    select tx_hash, output_index, address, place, lovelace, assets, kind as made_by,
        exists (select from unsolicited_outputs u
          where u.tx_hash = paid.tx_hash and u.output_index = paid.output_index) as unsolicited,
        confirmed_at as made_at, created_at as made_order
      from paid join places using (address)
    union all
    select tx_hash, output_index, address, place, lovelace, assets, null, true, seen_at, seen_at
      from unsolicited_outputs u
      where vault_id = ${vaultId} and not exists (select from chain_transactions t
          where t.hash = u.tx_hash and t.vault_id = ${vaultId})
        and (gone_at is null or gone_hash is not null or return_transaction_id is not null)`;
}

/** `spent`: what was spent. What a recorded transaction spent is spent by that one, whatever else is recorded of it. */
function spentOutputs(vaultId: string) {
  const reclaimed = (table: 'assets' | 'investments' | 'stakes', index: string, at: string, maker: string) => sql`
      select t.hash, ${sql.raw(index)}, d.reclaim_hash, ${sql.raw(at)}, ${sql.raw(at)}, 1
        from ${sql.table(table)} d join chain_transactions t on t.id = ${sql.ref(maker)}
        where d.vault_id = ${vaultId} and d.release_reason = 'reclaimed'`;
  return sql`
    select distinct on (tx_hash, output_index) tx_hash, output_index, spender, spent_at, spent_order from (
      select i ->> 'txHash' as tx_hash, (i ->> 'index')::int as output_index, hash as spender,
          confirmed_at as spent_at, created_at as spent_order, 0 as rank
        from confirmed cross join lateral jsonb_array_elements(inputs) as i
      union all ${reclaimed('assets', 'd.deposit_index', 'd.released_at', 'd.add_transaction_id')}
      union all ${reclaimed('investments', '0', 'd.updated_at', 'd.transaction_id')}
      union all ${reclaimed('stakes', '0', 'd.updated_at', 'd.stake_transaction_id')}
      union all
      select tx_hash, output_index, gone_hash, gone_at, gone_at, 2 from unsolicited_outputs
        where vault_id = ${vaultId} and gone_at is not null and return_transaction_id is null
    ) as spends order by tx_hash, output_index, rank`;
}

/** What is left for the holders of a vault that ends. */
type EndingPot = Pick<ClaimableVault, 'pot' | 'unclaimedLovelaceTo'>;

interface EndingPotJson extends Pick<EndingPot, 'unclaimedLovelaceTo'> {
  readonly lovelace: string;
  readonly circulating: string;
}

/** The pot of a vault as a column; null for one that does not end. */
function endingPot(vaultId: string) {
  return sql<EndingPotJson | null>`(select json_build_object('unclaimedLovelaceTo', unclaimed_lovelace_to,
    'lovelace', pot_lovelace::text, 'circulating', circulating::text) from terminations where vault_id = ${vaultId})`;
}

/** Reads the column `endingPot`. */
function readEndingPot({ unclaimedLovelaceTo, lovelace: left, circulating }: EndingPotJson): EndingPot {
  const pot = { lovelace: lovelace(BigInt(left)), circulating: baseUnits(BigInt(circulating)) };
  return { pot, unclaimedLovelaceTo };
}
