import type { AssetStatus } from '../../assets/rules/asset.ts';
import type { InvestmentStatus } from '../../investments/rules/investment.ts';
import type { StakeStatus } from '../../staking/rules/stake.ts';
import type { TransactionKind, TransactionState } from '../../transactions/rules/transaction-state.ts';
import type { UtxoRef } from '../../transactions/rules/utxo-ref.ts';
import type { Instant } from '../../platform/units/instant.ts';
import type { Balance } from './statement.ts';
import type { TerminationReason, VaultStatus } from '../../vaults/rules/vault.ts';
import type { VaultAddressKind } from '../../vaults/rules/vault-address.ts';

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

export interface BookBlock {
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

export interface BookAsset {
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

export interface BookClaim {
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
