import {
  type LedgerView,
  type VaultBooks,
  type Difference,
  type Balance,
  type BookHolding,
  type DifferenceCode,
  vaultHoldings,
  type BookOutput,
  type BookTransaction,
} from './books.ts';
import { secondsAfter } from '../../platform/units/time.ts';
import { isOnLedger, type TransactionKind, isOpen, refText } from '../../transactions/rules.ts';
import { isVaultToken } from '../../vaults/rules/vault.ts';

/** Everything that the books of a vault and the ledger say differently at one block. */
export function compareVault(books: VaultBooks, ledger: LedgerView): Difference[] {
  const ofTokens = [compareSupply, compareShares, compareHolders];
  const comparisons = [compareTransactions, fromBooks, fromLedger, compareHoldings, ...ofTokens, compareState];
  return comparisons.flatMap((compare) => compare(books, ledger));
}

/** Compares what the rows of a vault say it holds for people, with the outputs that stand behind them. */
function compareHoldings(books: VaultBooks, ledger: LedgerView): Difference[] {
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
      // A stake is ACTIVE before its transaction is confirmed.
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
  const confirmed = new Set(transactions.filter(({ state }) => isOnLedger(state)).map(({ hash }) => hash));
  return claims.flatMap(({ id: subject, isPaid, transactionHash }): Difference[] => {
    if (isPaid === confirmed.has(transactionHash)) return [];
    const [books, ledger] = isPaid ? ['paid', 'not on the ledger'] : ['not paid', `paid by ${transactionHash}`];
    return [{ code: 'CLAIM_DIFFERS', subject, books, ledger }];
  });
}

function sums(amounts: readonly (readonly [string, bigint])[]): Map<string, bigint> {
  const totals = new Map<string, bigint>();
  for (const [unit, quantity] of amounts) totals.set(unit, (totals.get(unit) ?? 0n) + quantity);
  return totals;
}

/** Compares the outputs at the addresses of a vault, one by one. What a transaction explains that differs itself is left out. */
function fromBooks(books: VaultBooks, ledger: LedgerView): Difference[] {
  const recorded = new Set(books.transactions.map(({ hash }) => hash));
  const takenByUnknown = new Set([...ledger.unknownSpenders.values()].flat());
  const isRecordedElsewhere = (hash: string) => recorded.has(hash) && !ledger.transactions.has(hash);
  return books.outputs.flatMap((output): Difference[] => {
    const { ref: subject, txHash, isUnsolicited, isSpent, spender } = output;
    const found = ledger.outputs.get(subject);
    if (isSpent) {
      const isExplained = spender !== null && (ledger.later.has(spender) || isRecordedElsewhere(spender));
      return found && !isExplained ? [stillUnspent(output, found)] : [];
    }
    if (found) return compareAmounts(output, found);
    const isExplained = isUnsolicited ? ledger.later.has(txHash) : !ledger.transactions.has(txHash);
    if (isExplained || takenByUnknown.has(subject)) return [];
    return [{ code: 'OUTPUT_MISSING', subject, books: amountText(output), ledger: 'not unspent' }];
  });
}

function stillUnspent({ ref: subject, spender }: BookOutput, found: Balance): Difference {
  return { code: 'OUTPUT_NOT_SPENT', subject, books: `spent by ${spender ?? 'others'}`, ledger: amountText(found) };
}

function compareAmounts(output: BookOutput, found: Balance): Difference[] {
  const [books, ledger] = [amountText(output), amountText(found)];
  return books === ledger ? [] : [{ code: 'OUTPUT_DIFFERS', subject: output.ref, books, ledger }];
}

function fromLedger({ outputs, transactions }: VaultBooks, { outputs: unspent, unknownSpenders }: LedgerView) {
  const known = new Set(outputs.map(({ ref }) => ref));
  const states = new Map(transactions.map(({ hash, state }) => [hash, state]));
  return [...unspent].flatMap(([subject, held]): Difference[] => {
    const [hash = ''] = subject.split('#');
    const state = states.get(hash);
    if (known.has(subject) || unknownSpenders.has(hash)) return [];
    if (state !== undefined && !isOnLedger(state)) return []; // Its transaction differs.
    const code = state === undefined ? 'OUTPUT_UNLISTED' : 'OUTPUT_UNKNOWN';
    return [{ code, subject, books: 'nothing', ledger: `${amountText(held)} at ${held.address}` }];
  });
}

function amountText({ lovelace, assets }: Balance): string {
  const held = [...assets].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [`${lovelace} lovelace`, ...held.map(([unit, quantity]) => `${quantity} ${unit}`)].join(', ');
}

/** The transactions without which a vault is not in a status. */
const requiredKinds: Readonly<Record<VaultBooks['vault']['status'], readonly TransactionKind[]>> = {
  DRAFT: [],
  ACTIVE: ['create_vault'],
  LOCKED: ['create_vault', 'mint', 'liquidity'],
  TERMINATED: [],
};

/** Compares the status of a vault and its counters with what follows from its transactions and rows. */
function compareState(books: VaultBooks, ledger: LedgerView): Difference[] {
  const { vault, transactions, assets } = books;
  const confirmed = new Set(transactions.filter(({ state }) => isOnLedger(state)).map(({ kind }) => kind));
  const missing = requiredKinds[vault.status].filter((kind) => !confirmed.has(kind));
  const state = (found: string): Difference => {
    return { code: 'VAULT_STATE_DIFFERS', subject: vault.id, books: vault.status, ledger: found };
  };
  const differences = missing.map((kind) => state(`${kind} is not on the ledger`));
  const isSettled = transactions.some(({ kind, state: reached }) => kind === 'liquidity' && reached === 'final');
  if (isSettled && vault.status !== 'LOCKED' && vault.status !== 'TERMINATED') differences.push(state('settled'));
  const isLocked = vault.status === 'LOCKED';
  if (isLocked && vaultHoldings(books, ledger, ['settlement']).length > 0)
    differences.push(state('the settlement address is not empty'));
  const counted = assets.filter(({ status }) => status === 'LOCKED').length;
  if (isLocked && vault.failedBecause === null && counted !== vault.countedAssets) {
    const [said, found] = [vault.countedAssets.toString(), counted.toString()];
    differences.push({ code: 'ASSET_COUNT_DIFFERS', subject: vault.id, books: said, ledger: found });
  }
  return differences;
}

/** Compares the fractional tokens of a vault and the pot that they share: how many exist, who was given how many, who holds them. */
const isConfirmed = ({ transactions }: VaultBooks, wanted: TransactionKind) =>
  transactions.some(({ kind, state }) => kind === wanted && isOnLedger(state));

function compareSupply(books: VaultBooks, { ftSupply }: LedgerView): Difference[] {
  const { ftUnit, ftSupply: supply } = books.vault;
  if (ftUnit === null || !isConfirmed(books, 'mint') || ftSupply === supply) return [];
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
  if (ftUnit === null || !isConfirmed(books, 'liquidity')) return [];
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

/** The follower expires a transaction when a block past its validity is final. */
const OVERDUE_SECONDS = 3600;

/** Compares the recorded transactions of a vault with those on the ledger. */
function compareTransactions({ transactions, block, leasesLeft }: VaultBooks, ledger: LedgerView): Difference[] {
  const overdueBefore = secondsAfter(block.time, -OVERDUE_SECONDS);
  const isOverdue = ({ state, expiresAt }: BookTransaction) =>
    isOpen(state) && !isOnLedger(state) && expiresAt < overdueBefore;
  return [
    ...transactions.flatMap((one) => compareWithLedger(one, ledger)),
    ...transactions.filter(isOverdue).map(({ hash: subject, state }): Difference => {
      return { code: 'TRANSACTION_OVERDUE', subject, books: state, ledger: 'its validity has passed' };
    }),
    ...[...ledger.unknownSpenders].map(([subject, spent]): Difference => {
      return { code: 'TRANSACTION_UNKNOWN', subject, books: 'nothing', ledger: `spends ${spent.join(', ')}` };
    }),
    ...transactions.filter(lacksRows).map(({ hash: subject, kind }): Difference => {
      return { code: 'ROW_MISSING', subject, books: 'nothing', ledger: `${kind} is on the ledger` };
    }),
    ...leasesLeft.map((subject): Difference => {
      return { code: 'LEASE_LEFT', subject, books: 'leased', ledger: 'its transaction has ended' };
    }),
  ];
}

const lacksRows = ({ state, rows }: BookTransaction) => isOnLedger(state) && rows === 0;

function compareWithLedger(transaction: BookTransaction, { transactions }: LedgerView): Difference[] {
  const { hash: subject, state, blockHeight } = transaction;
  const height = transactions.get(subject);
  if (!isOnLedger(state)) {
    if (height === undefined) return [];
    return [{ code: 'TRANSACTION_STATE_DIFFERS', subject, books: state, ledger: `in block ${height}` }];
  }
  const books = `${state} in block ${blockHeight ?? 'none'}`;
  if (height === undefined) return [{ code: 'TRANSACTION_NOT_ON_LEDGER', subject, books, ledger: 'not on the ledger' }];
  if (height !== blockHeight)
    return [{ code: 'TRANSACTION_BLOCK_DIFFERS', subject, books, ledger: `in block ${height}` }];
  return [];
}
