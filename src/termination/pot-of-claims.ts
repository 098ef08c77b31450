import type { NetworkId } from '../cardano/transaction.ts';
import type { Pot } from './rules/pot.ts';
import { isOnLedger } from '../transactions/rules/transaction-state.ts';
import { baseUnits, type Lovelace, lovelace } from '../platform/units/money.ts';
import { paidOut } from './queries/claims.ts';
import type { ChainTransaction } from '../transactions/queries/chain-transactions.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { proceedsOf, recordedPot } from './recorded-pot.ts';

/**
 * The pot with which claims open, by the transactions that the vault has made. Before the first time nothing was sold into it and nothing
 * paid from it; they open again where a rollback has undone a gathering for good.
 */
export async function potOfClaims(
  tx: Transaction,
  made: readonly ChainTransaction[],
  vault: Vault,
  networkId: NetworkId,
): Promise<{ readonly pot: Pot; readonly float: Lovelace }> {
  const final = made.filter(({ state }) => state === 'final');
  const { pot, float } = recordedPot(final, vault, networkId);
  const paid = await paidOut(tx, vault.id);
  const remainders = made.filter(({ kind, state }) => kind === 'pay_remainder' && isOnLedger(state));
  const given = remainders.reduce((sum, { outputs: [first] }) => sum + (first?.lovelace ?? 0n), paid.lovelace);
  const left = pot.lovelace + proceedsOf(final, vault, networkId) - given;
  return {
    // A small remainder was topped up to what an output has to hold.
    pot: { lovelace: lovelace(left > 0n ? left : 0n), circulating: baseUnits(pot.circulating - paid.returned) },
    float,
  };
}
