import { isOnLedger } from '../../domain/transaction/transaction-state.ts';
import type { ChainTransaction } from '../../store/chain-transactions.ts';
import { setFtUnit } from '../../store/vault-changes.ts';
import { vaultTransactions } from '../../store/vault-transactions.ts';
import type { Consequences } from './consequences.ts';
import { settlementConsequences } from './settlement.ts';

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
