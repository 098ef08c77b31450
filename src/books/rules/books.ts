import type { AssetStatus } from '../../assets/rules/asset.ts';
import type { InvestmentStatus } from '../../investments/rules.ts';
import type { Instant } from '../../platform/units/time.ts';
import type { StakeStatus } from '../../staking/rules.ts';
import type { TransactionKind, TransactionState, UtxoRef } from '../../transactions/rules.ts';
import type { VaultAddressKind, TerminationReason, VaultStatus } from '../../vaults/rules/vault.ts';

/** What Postgres says of one vault, all read at one instant. */
export interface VaultBooks {
  readonly vault: {
    readonly id: string;
    readonly status: VaultStatus;
    readonly failedBecause: TerminationReason | null;
    /** Policy of its NFT. */
    readonly policyId: string;
    readonly ftUnit: string | null;
    readonly ftSupply: bigint;
    readonly countedAssets: number;
    /** From then on owners can take back deposits without the vault's key. */
    readonly settlesBy: Instant;
  };
  /** The block that the ledger was followed to. */
  readonly block: BookBlock;
  /** Every output at its addresses, spent or not. */
  readonly outputs: readonly BookOutput[];
  readonly transactions: readonly BookTransaction[];
  readonly assets: readonly BookAsset[];
  readonly investments: readonly BookHolding<InvestmentStatus>[];
  readonly stakes: readonly BookHolding<StakeStatus>[];
  readonly claims: readonly BookClaim[];
  readonly tokens: BookTokens;
  /** Outputs that a transaction which has ended still keeps others from spending, as `<hash>#<index>`. */
  readonly leasesLeft: readonly string[];
}

interface BookBlock {
  readonly height: number;
  readonly hash: string;
  readonly time: Instant;
}

export interface BookOutput extends Balance {
  /** `<hash>#<index>`. */
  readonly ref: string;
  readonly txHash: string;
  readonly address: string;
  readonly place: VaultAddressKind;
  readonly isUnsolicited: boolean;
  readonly isSpent: boolean;
  /** Hash of the transaction that spent it, if that is known. */
  readonly spender: string | null;
}

export interface BookTransaction {
  readonly hash: string;
  readonly kind: TransactionKind;
  readonly state: TransactionState;
  readonly blockHeight: number | null;
  readonly expiresAt: Instant;
  /** Rows of what it brings: assets, an investment, a stake, a claim; null for a kind that brings nothing. */
  readonly rows: number | null;
}

interface BookAsset {
  readonly id: string;
  readonly unit: string;
  readonly quantity: bigint;
  readonly status: AssetStatus;
  /** Whether it is at an address outside of the vault, where it earns something. */
  readonly isStaked: boolean;
}

/** A row that one output on the ledger stands behind. */
export interface BookHolding<Status extends string> {
  readonly id: string;
  readonly status: Status;
  readonly output: UtxoRef;
  /** Lovelace of an investment with its delivery deposit; base units of a stake. */
  readonly amount: bigint;
}

interface BookClaim {
  readonly id: string;
  readonly isPaid: boolean;
  readonly transactionHash: string;
}

/** What is recorded of the shares of the vault's token, in base units. */
export interface BookTokens {
  /** What the plan of the settlement gives to deposits and to liquidity; null before it is planned. */
  readonly planned: bigint | null;
  /** Tokens that holders have, as votes and claims count them. */
  readonly circulating: bigint;
  /** Tokens that the settlement sent to a liquidity address outside of the vault. */
  readonly outside: bigint;
  /** Deposits that were paid other tokens than their entitlement says. */
  readonly paidOtherwise: readonly { readonly depositId: string; readonly planned: bigint; readonly paid: bigint }[];
  /** Lovelace that claims share; null while there is no pot. */
  readonly potLovelace: bigint | null;
}

/**
 * What the ledger says of the addresses of a vault, as it was at the block of the books. What others sent and owners took back so short
 * a time before that no scan need have found it is undone, too.
 */
export interface LedgerView {
  /** The unspent outputs, by `<hash>#<index>`. */
  readonly outputs: ReadonlyMap<string, Balance & { readonly address: string }>;
  /** The height of each transaction at the addresses, by hash. */
  readonly transactions: ReadonlyMap<string, number>;
  /** Hashes of later transactions: scans, which wait for no follower, may have found what they did. */
  readonly later: ReadonlySet<string>;
  /** Transactions that the books do not have and that spend outputs which they have: which, by hash. */
  readonly unknownSpenders: ReadonlyMap<string, readonly string[]>;
  /** Tokens of the vault that exist; null when there is none. */
  readonly ftSupply: bigint | null;
}

/** What the ledger holds at some places of a vault, without what nobody asked for. */
export function vaultHoldings(
  { outputs }: Pick<VaultBooks, 'outputs'>,
  ledger: LedgerView,
  addresses: readonly VaultAddressKind[],
): Balance[] {
  return outputs
    .filter(({ place, isUnsolicited }) => !isUnsolicited && addresses.includes(place))
    .flatMap(({ ref }) => ledger.outputs.get(ref) ?? []);
}

/** A difference is in correctness when the books say what is not so, in completeness when they do not say what is so. */
export const differenceKinds = ['correctness', 'completeness'] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/** What a reconciliation can find, and in which respect the books are then wrong. */
export const differenceCodes = {
  OUTPUT_MISSING: 'correctness',
  OUTPUT_NOT_SPENT: 'correctness',
  OUTPUT_DIFFERS: 'correctness',
  OUTPUT_UNKNOWN: 'completeness',
  OUTPUT_UNLISTED: 'completeness',
  TRANSACTION_NOT_ON_LEDGER: 'correctness',
  TRANSACTION_STATE_DIFFERS: 'correctness',
  TRANSACTION_BLOCK_DIFFERS: 'correctness',
  TRANSACTION_UNKNOWN: 'completeness',
  TRANSACTION_OVERDUE: 'completeness',
  ROW_MISSING: 'completeness',
  ASSET_QUANTITY_DIFFERS: 'correctness',
  INVESTMENT_DIFFERS: 'correctness',
  STAKE_DIFFERS: 'correctness',
  CLAIM_DIFFERS: 'correctness',
  FT_SUPPLY_DIFFERS: 'correctness',
  FT_SHARES_DIFFER: 'correctness',
  FT_CIRCULATING_DIFFERS: 'correctness',
  ENTITLEMENT_DIFFERS: 'correctness',
  POT_DIFFERS: 'correctness',
  ASSET_COUNT_DIFFERS: 'correctness',
  VAULT_STATE_DIFFERS: 'correctness',
  LEASE_LEFT: 'completeness',
  VAULT_NOT_COMPARED: 'completeness',
} as const satisfies Record<string, DifferenceKind>;
export type DifferenceCode = keyof typeof differenceCodes;

/** One thing that the books and the ledger say differently. */
export interface Difference {
  readonly code: DifferenceCode;
  /** What it is about: an output as `<hash>#<index>`, a hash, the id of a row, a unit. */
  readonly subject: string;
  /** What the books say. */
  readonly books: string;
  /** What the ledger says, or what follows from the other rows. */
  readonly ledger: string;
}

/** The differences that two comparisons have found, one after the other: a block in between explains the others. */
export function lastingDifferences(first: readonly Difference[], second: readonly Difference[]): Difference[] {
  const key = ({ code, subject }: Difference) => `${code} ${subject}`;
  const before = new Set(first.map(key));
  return second.filter((one) => before.has(key(one)));
}

/** Lovelace, and base units of assets by unit (policy id followed by the name). */
export interface Balance {
  readonly lovelace: bigint;
  readonly assets: ReadonlyMap<string, bigint>;
}

/** A balance that lists no more than some units of others: anybody can send any number of them. */
export interface BoundedBalance extends Balance {
  /** How many units are not among its assets. */
  readonly unlistedUnits: number;
}

/** What one transaction put to, or took from, one address of a vault. */
export interface Movement extends Balance {
  readonly at: Instant;
  /** Null where the service does not know which transaction spent an output. */
  readonly transactionHash: string | null;
  readonly direction: 'in' | 'out';
  readonly address: string;
  readonly place: VaultAddressKind;
}
