import { sql } from 'kysely';
import { isPotKept } from '../../termination/rules/claims/claim.ts';
import type { BookTokens } from '../rules/books.ts';
import { circulatingSupply } from '../../staking/queries/circulating-supply.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { StoredUtxo } from '../../transactions/queries/stored-utxo.ts';
import { findTermination } from '../../termination/queries/terminations.ts';
import type { VaultPlaces } from './output-sources.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';

/** What is recorded of the shares of a vault's token. */
export async function bookTokens(tx: Transaction, vault: Vault, places: VaultPlaces): Promise<BookTokens> {
  const [planned, paidOtherwise] = [await plannedTokens(tx, vault.id), await deliveriesOtherwise(tx, vault.id)];
  const termination = await findTermination(tx, vault.id);
  const isOpen = termination !== null && termination.claimsOpenedAt !== null;
  return {
    planned: planned.sum === null ? null : BigInt(planned.sum),
    circulating: isOpen ? termination.pot.circulating : BigInt(planned.circulating),
    // Once claims are open, holders there have what everybody has.
    outside: isOpen ? 0n : await sentOutside(tx, vault, places),
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
async function sentOutside(tx: Transaction, { id, ftUnit }: Vault, { own }: VaultPlaces): Promise<bigint> {
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
