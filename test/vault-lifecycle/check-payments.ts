import { mapInBatches } from '../../src/platform/async.ts';
import { heldAt } from '../claims/vault-with-pot.ts';
import type { TestStack } from '../stack/test-stack.ts';

interface Payment {
  readonly wallet: string;
  readonly ft: string;
  readonly lovelace: string;
  readonly unit: string;
}

/**
 * Compares what the settlement of a vault owes each wallet, and what a delivery has returned to it, with what the ledger holds; returns
 * how many were paid. Wallets that hold other ADA are named. Throws unless all is exact and all is paid but what was reclaimed.
 */
export async function checkPayments(
  { sql, ledger }: Pick<TestStack, 'sql' | 'ledger'>,
  vaultId: string,
  withOtherAda: readonly string[],
): Promise<number> {
  const rows = await sql.run<Payment>`select e.wallet, e.ft::text, v.ft_unit as unit,
       (coalesce(e.revised_lovelace, e.lovelace) + (d.payment ->> 'depositReturned')::numeric)::text as lovelace
     from entitlements e join vaults v on v.id = e.vault_id
     join transaction_deposits d on d.deposit_id = e.deposit_id
     join chain_transactions t on t.id = d.transaction_id and t.kind = 'deliver' and t.state in ('confirmed', 'final')
     where v.id = ${vaultId}`;
  const { rows: planned } = await sql.query<{ count: number; exact: boolean }>(
    `select count(*) filter (where i.release_reason is distinct from 'reclaimed')::int as count,
       sum(ft) + (select (distribution ->> 'lpFt')::numeric from settlements where vault_id = $1)
         = (select ft_supply from vaults where id = $1) as exact
     from entitlements left join investments i on i.id = deposit_id where entitlements.vault_id = $1`,
    [vaultId],
  );
  if (rows.length !== planned[0]?.count || !planned[0].exact) throw new Error('the plan was not delivered as a whole');
  await mapInBatches(rows, 10, async ({ wallet, ft, lovelace, unit }) => {
    const held = await heldAt({ ledger }, wallet, unit);
    const isExact = held.tokens === BigInt(ft) && (withOtherAda.includes(wallet) || held.lovelace === BigInt(lovelace));
    if (!isExact)
      throw new Error(`${wallet} holds ${held.tokens} of ${ft} and ${held.lovelace} of ${lovelace} lovelace`);
  });
  return rows.length;
}
