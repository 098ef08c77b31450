import { sql } from 'kysely';
import type { BookTransaction, VaultBooks } from '../rules/books.ts';
import { refText } from '../../transactions/rules/utxo-ref.ts';
import { instant } from '../../platform/units/instant.ts';
import { followedTip } from '../../ledger-follower/queries/blocks.ts';
import { bookAssets, bookClaims, bookInvestments, bookStakes } from './book-holdings.ts';
import { bookOutputs } from './book-outputs.ts';
import { bookTokens } from './book-tokens.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { VaultPlaces } from './output-sources.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';

/** Transactions of stakes that were final so long ago that a scan has left out their addresses are not compared again. */
const COMPARED_DAYS = 30;

/** What Postgres says of a vault. Read in one transaction, it is all of one instant. Throws when the ledger was not followed yet. */
export async function readVaultBooks(tx: Transaction, vault: Vault, places: VaultPlaces): Promise<VaultBooks> {
  const { id, status, failedBecause, policyId, ftUnit, countedAssets, settlesBy, terms } = vault;
  const block = await followedTip(tx);
  if (!block) throw new Error('the ledger was not followed yet');
  const outputs = await bookOutputs(tx, places);
  return {
    vault: { id, status, failedBecause, policyId, ftUnit, ftSupply: terms.ftSupply, countedAssets, settlesBy },
    block,
    outputs,
    transactions: await bookTransactions(tx, id),
    assets: await bookAssets(tx, id),
    investments: await bookInvestments(tx, id),
    stakes: await bookStakes(tx, id),
    claims: await bookClaims(tx, id),
    tokens: await bookTokens(tx, vault, places),
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
