import { isOnLedger, type TransactionKind } from '../../transactions/rules/transaction-state.ts';
import type { LedgerView, VaultBooks } from './books.ts';
import type { Difference } from './difference.ts';
import { vaultHoldings } from './vault-holdings.ts';

/** Compares the fractional tokens of a vault and the pot that they share: how many exist, who was given how many, who holds them. */
export function compareTokens(books: VaultBooks, ledger: LedgerView): Difference[] {
  return [...compareSupply(books, ledger), ...compareShares(books), ...compareHolders(books, ledger)];
}

const hasLanded = ({ transactions }: VaultBooks, wanted: TransactionKind) =>
  transactions.some(({ kind, state }) => kind === wanted && isOnLedger(state));

function compareSupply(books: VaultBooks, { ftSupply }: LedgerView): Difference[] {
  const { ftUnit, ftSupply: supply } = books.vault;
  if (ftUnit === null || !hasLanded(books, 'mint') || ftSupply === supply) return [];
  return [{ code: 'FT_SUPPLY_DIFFERS', subject: ftUnit, books: `${supply}`, ledger: `${ftSupply ?? 0n}` }];
}

function compareShares({ vault: { id, ftSupply }, tokens: { planned, paidOtherwise } }: VaultBooks): Difference[] {
  const sum: Difference[] =
    planned === null || planned === ftSupply
      ? []
      : [{ code: 'FT_SHARES_DIFFER', subject: id, books: `${planned} planned`, ledger: `${ftSupply} exist` }];
  const paid = paidOtherwise.map((deposit): Difference => {
    const [books, ledger] = [deposit.planned.toString(), `${deposit.paid} paid`];
    return { code: 'ENTITLEMENT_DIFFERS', subject: deposit.depositId, books, ledger };
  });
  return [...sum, ...paid];
}

/** Once the settlement is over, what holders have is what the vault itself does not have. */
function compareHolders(books: VaultBooks, ledger: LedgerView): Difference[] {
  const { vault, tokens } = books;
  const { ftUnit } = vault;
  if (ftUnit === null || !hasLanded(books, 'liquidity')) return [];
  const own = vaultHoldings(books, ledger, ['custody', 'settlement', 'liquidity', 'claims']);
  const kept = own.reduce((sum, { assets }) => sum + (assets.get(ftUnit) ?? 0n), tokens.outside);
  const circulating = vault.ftSupply - kept;
  const differences: Difference[] = [];
  if (tokens.circulating !== circulating) {
    const [said, found] = [tokens.circulating.toString(), circulating.toString()];
    differences.push({ code: 'FT_CIRCULATING_DIFFERS', subject: ftUnit, books: said, ledger: found });
  }
  const pot = vaultHoldings(books, ledger, ['claims']).reduce((sum, { lovelace }) => sum + lovelace, 0n);
  if (tokens.potLovelace !== null && pot < tokens.potLovelace)
    differences.push({ code: 'POT_DIFFERS', subject: vault.id, books: `${tokens.potLovelace}`, ledger: `${pot}` });
  return differences;
}
