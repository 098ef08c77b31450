import { isOnLedger } from '../../transactions/rules/transaction-state.ts';
import { refText } from '../../transactions/rules/utxo-ref.ts';
import type { Balance } from './statement.ts';
import { isVaultToken } from '../../vaults/rules/vault-tokens.ts';
import type { BookHolding, LedgerView, VaultBooks } from './books.ts';
import type { Difference, DifferenceCode } from './difference.ts';
import { vaultHoldings } from './vault-holdings.ts';

/** Compares what the rows of a vault say it holds for people, with the outputs that stand behind them. */
export function compareHoldings(books: VaultBooks, ledger: LedgerView): Difference[] {
  const { ftUnit } = books.vault;
  const staked = ({ assets }: Balance) => (ftUnit === null ? 0n : (assets.get(ftUnit) ?? 0n));
  return [
    ...compareAssets(books, ledger),
    ...books.investments.flatMap((investment) =>
      compareHolding(investment, ledger, {
        code: 'INVESTMENT_DIFFERS',
        isHeld: investment.status === 'CONFIRMED',
        amountOf: ({ lovelace }) => lovelace,
      }),
    ),
    ...books.stakes.flatMap((stake) => {
      // A stake is ACTIVE before its transaction lands.
      const isHeld = stake.status !== 'RELEASED' && ledger.transactions.has(stake.output.txHash);
      return compareHolding(stake, ledger, { code: 'STAKE_DIFFERS', isHeld, amountOf: staked });
    }),
    ...compareClaims(books),
  ];
}

interface HoldingRule {
  readonly code: DifferenceCode;
  readonly isHeld: boolean;
  readonly amountOf: (output: Balance) => bigint;
}

function compareHolding(
  { id: subject, status, output, amount }: BookHolding<string>,
  ledger: LedgerView,
  { code, isHeld, amountOf }: HoldingRule,
): Difference[] {
  const found = ledger.outputs.get(refText(output));
  const actual = found ? amountOf(found) : 0n;
  if (actual === (isHeld ? amount : 0n)) return [];
  return [{ code, subject, books: `${status}: ${amount}`, ledger: `${actual} in ${refText(output)}` }];
}

/** The quantity of each unit, over all rows and outputs of the vault: a delivery moves an asset from one output to another. */
function compareAssets(books: VaultBooks, ledger: LedgerView): Difference[] {
  const recorded = sums(
    books.assets
      .filter(({ status, isStaked }) => status === 'LOCKED' && !isStaked)
      .map(({ unit, quantity }) => [unit, quantity] as const),
  );
  const held = sums(
    vaultHoldings(books, ledger, ['custody', 'deposit', 'settlement', 'claims'])
      .flatMap(({ assets }) => [...assets])
      .filter(([unit]) => !isVaultToken(unit, books.vault)),
  );
  return [...new Set([...recorded.keys(), ...held.keys()])].flatMap((subject): Difference[] => {
    const [rows, outputs] = [recorded.get(subject) ?? 0n, held.get(subject) ?? 0n];
    if (rows === outputs) return [];
    return [{ code: 'ASSET_QUANTITY_DIFFERS', subject, books: rows.toString(), ledger: outputs.toString() }];
  });
}

function compareClaims({ claims, transactions }: VaultBooks): Difference[] {
  const landed = new Set(transactions.filter(({ state }) => isOnLedger(state)).map(({ hash }) => hash));
  return claims.flatMap(({ id: subject, isPaid, transactionHash }): Difference[] => {
    if (isPaid === landed.has(transactionHash)) return [];
    const [books, ledger] = isPaid ? ['paid', 'not on the ledger'] : ['not paid', `paid by ${transactionHash}`];
    return [{ code: 'CLAIM_DIFFERS', subject, books, ledger }];
  });
}

function sums(amounts: readonly (readonly [string, bigint])[]): Map<string, bigint> {
  const totals = new Map<string, bigint>();
  for (const [unit, quantity] of amounts) totals.set(unit, (totals.get(unit) ?? 0n) + quantity);
  return totals;
}
