import { isOnLedger } from '../transactions/rules/transaction-state.ts';
import type { ChainTransaction } from '../transactions/queries/chain-transactions.ts';
import { setFtUnit } from '../vaults/queries/vault-changes.ts';
import { vaultTransactions } from '../transactions/queries/vault-transactions.ts';
import type { Consequences } from '../ledger-follower/effects/consequences.ts';
import { settlementConsequences } from './on-ledger.ts';

/** The token of a vault is what its first mint on the ledger has made. An operator decides about a second one (design D45). */
export const mintConsequences: Consequences = {
  ...settlementConsequences,
  async confirmed({ tx }, mint) {
    const { id, vaultId, hash } = mint;
    if (vaultId === null) return;
    const earlier = (await vaultTransactions(tx, vaultId, ['mint'])).find(
      (other) => other.id !== id && isOnLedger(other.state),
    );
    if (earlier) throw new Error(`mint ${hash} landed after mint ${earlier.hash} of vault ${vaultId}`);
    await setFtUnit(tx, vaultId, mintedUnit(mint));
  },
};

/** Its first output holds the whole supply, and nothing else. */
function mintedUnit({ hash, outputs }: ChainTransaction): string {
  const [unit] = outputs[0]?.assets.keys() ?? [];
  if (unit === undefined) throw new Error(`mint ${hash} mints no token`);
  return unit;
}
