import type { KeyHash, Unit, Utxo } from '../cardano/transaction.ts';
import type { DepositOrder, Price } from '../prices/rules.ts';
import type { ProposalEffect } from '../proposals/rules/effects.ts';
import type { OwedDelivery, PlannedShare } from '../settlement/rules/deposits.ts';
import type { SettlementPlan } from '../settlement/rules/plan-commitment.ts';
import type { HandedAsset } from '../termination/rules/pot.ts';
import type { UtxoRef } from '../transactions/rules.ts';
import type { TerminationReason, TerminationTerms, VaultTerms } from '../vaults/rules/vault.ts';
import type { VaultAddresses } from './addresses.ts';

/** The evidence for a transaction of a vault. */
export interface OfVault {
  readonly vault: VaultAddresses;
}

/** A vault whose fractional token was minted under its own policy. */
export interface OfSettledVault extends OfVault {
  readonly ftUnit: Unit;
}

export interface CreationEvidence extends OfVault {
  readonly vaultId: string;
  readonly nftNameHex: string;
  /** The leaf of the vault's terms. */
  readonly terms: string;
  /** Hash of another transaction on the ledger that has created this vault. */
  readonly earlierCreation: string | null;
}

/** What the creation of a vault says on the ledger. */
export interface ConfirmedCreation {
  /** Where the vault's NFT went. */
  readonly custody: string | null;
  /** The leaf of the vault's terms to which it has committed; null for none. */
  readonly terms: unknown;
}

/** A deposit on the ledger, and the addresses that its own transaction pays. */
export interface PlannedDeposit extends Utxo {
  readonly paid: readonly string[];
}

/** The plan of a settlement, and its deposits as they lie on the ledger, by reference. */
export interface PlannedDeposits {
  readonly plan: SettlementPlan;
  readonly held: ReadonlyMap<string, PlannedDeposit>;
}

/** The prices that contributions count with, and the terms that turn them into values. */
export interface CountedPrices extends Pick<VaultTerms, 'floorPricePercentage' | 'maxShare'> {
  /** By reference of the deposit. One that the worker has not sealed when it decided it is what the market says now. */
  readonly prices: ReadonlyMap<
    string,
    { readonly price: Price; readonly isSealed: boolean; readonly depositOrder: DepositOrder }
  >;
}

export interface MintEvidence extends OfVault, PlannedDeposits {
  readonly counted: CountedPrices;
  /** Asset names in hex. */
  readonly ftName: string;
  readonly referenceName: string;
  readonly supply: bigint;
  readonly decimals: number;
  /** Hash of a transaction on the ledger that has minted a token of this vault. */
  readonly earlierMint: string | null;
  readonly creation: ConfirmedCreation;
  /** The leaf of the vault's terms. */
  readonly terms: string;
}

/** The plan of a settlement to which the mint on the ledger has committed. */
export interface CommittedPlan extends Pick<SettlementPlan, 'terms'> {
  /** By reference of the deposit. */
  readonly shares: ReadonlyMap<string, PlannedShare>;
  /** What all shares have together. */
  readonly invested: bigint;
  readonly value: bigint;
  /** Lovelace of the investments that their owners have not taken back. */
  readonly kept: bigint;
}

export interface DeliveryEvidence extends OfSettledVault {
  readonly owed: readonly OwedDelivery[];
  readonly plan: CommittedPlan;
}

export interface LiquidityEvidence extends OfSettledVault {
  readonly liquidityAddress: string;
  /** Lovelace that the operator added with the mint. */
  readonly float: bigint;
}

export interface OwnDepositEvidence extends OfVault {
  /** Whether the operator's own wallet adds assets in this deployment. */
  readonly mayDeposit: boolean;
}

export interface UnsolicitedEvidence extends OfVault {
  /** The inputs that no transaction signed by the platform made, as `<hash>#<index>`. */
  readonly foreign: ReadonlySet<string>;
}

export interface UnstakeEvidence extends OfVault {
  /** The key of the vault in the script of the stake. */
  readonly stakeKeyHash: KeyHash;
  /** The slot in the script of the stake from which its owner needs no signature of the vault. */
  readonly releaseSlot: number;
}

/** A fact under a Merkle root that is on the ledger. */
export interface AnchoredFact {
  readonly fact: Readonly<Record<string, unknown>>;
  /** Of the block that has its anchor. */
  readonly slot: number;
}

/** What was anchored of a vote. */
export interface VoteEvidence {
  readonly vaultId: string;
  readonly created: AnchoredFact;
  readonly closed: AnchoredFact;
  /** Slots of the shortest phases that a proposal may have. */
  readonly shortest: { readonly voting: number; readonly lock: number };
}

/** What cosigners have staked on the ledger, as far as it counts, and the tokens of which their share counts. */
export interface StakedCosigners {
  readonly supply: bigint;
  readonly byKey: ReadonlyMap<KeyHash, bigint>;
  /** Stakes that a followed block has brought, and that the ledger does not show, of those who have too little without them. */
  readonly unseen: ReadonlyMap<KeyHash, readonly UtxoRef[]>;
}

export interface ExecutionEvidence extends OfVault {
  readonly proposalId: string;
  readonly vote: VoteEvidence;
  /** With no term left open, and what the vote approved. */
  readonly effect: ProposalEffect;
  readonly approved: ProposalEffect;
  /** The assets that it moves, in base units. */
  readonly assets: ReadonlyMap<Unit, bigint>;
  /** Lovelace that the market gives for what is sold or bought; null where the vote decided the price. */
  readonly marketValue: bigint | null;
  readonly stakingAddresses: readonly string[];
  /** Key hash of the buyer, seller or holder; null when there is none. */
  readonly partner: KeyHash | null;
  readonly cosigners: readonly KeyHash[];
  readonly requiredCosigners: number;
  /** Null where none is needed, or the vault registers them. */
  readonly staked: StakedCosigners | null;
  /** Whether the price of a sale goes to those who claim. */
  readonly claimsOpen: boolean;
  /** The end of the execution phase. */
  readonly lastSlot: number;
}

/** What is known of the end of a vault. */
export interface EndEvidence {
  readonly vaultId: string;
  /** Why it ends, and who gets what is left, by its rows. */
  readonly reason: TerminationReason | null;
  readonly recipients: {
    readonly remainingAssetsTo: string | null;
    readonly unclaimedLovelaceTo: string | null;
    readonly handedAssets: readonly HandedAsset[];
  };
  /** The terms to which its mint has committed. */
  readonly terms: TerminationTerms;
  /** The first slot in which it ends by itself; null when it does not. */
  readonly endsFromSlot: number | null;
  /** Null without a decision to liquidate it that the vault's key has signed. */
  readonly decision: SignedDecision | null;
}

/** A decision to liquidate a vault that its key has signed, and its proposal as it was anchored. */
export interface SignedDecision extends Pick<VoteEvidence, 'created' | 'shortest'> {
  readonly proposalId: string;
  /** The last slot in which it could be confirmed: it was signed before. */
  readonly ttlSlot: number;
}

/** When holders cannot claim any more. */
export interface ClaimsEvidence {
  /** Base units that are not in the pot on the ledger. */
  readonly circulating: bigint;
  /** The first slot in which the time for claims may be over. */
  readonly overFromSlot: number;
}

/** What moves because a vault ends. */
export interface OfEndingVault extends OfSettledVault {
  readonly end: EndEvidence;
}

export interface HandOverEvidence extends OfEndingVault {
  readonly handed: readonly { readonly address: string; readonly unit: Unit; readonly quantity: bigint }[];
  /** Null for assets that a vote has given to wallets. */
  readonly claims: ClaimsEvidence | null;
}

/** What the operator lent for the outputs of a pot. */
export interface LentEvidence {
  /** By its row. */
  readonly float: bigint;
  /** How many of them were made on the ledger. */
  readonly pots: number;
}

export interface RemainderEvidence extends OfEndingVault, LentEvidence {
  readonly recipient: string;
  readonly remainder: bigint;
  readonly claims: ClaimsEvidence;
}

export interface ClosingEvidence extends OfEndingVault, LentEvidence {
  /** Policies of the vault's own NFT and tokens. */
  readonly policies: readonly string[];
}

export interface ClaimEvidence extends OfSettledVault {
  /** Base units that return to the pot. */
  readonly amount: bigint;
  readonly payout: bigint;
  /** At the claims address on the ledger: all lovelace, and the tokens that are not in circulation any more. */
  readonly pot: { readonly lovelace: bigint; readonly redeemed: bigint };
  readonly supply: bigint;
}

export interface AnchorEvidence {
  readonly root: string;
  readonly count: number;
}

/** The evidence for each kind of transaction, in addition to what every kind needs. */
export interface EvidenceByKind {
  create_vault: CreationEvidence;
  add_asset: OwnDepositEvidence;
  remove_asset: OfVault;
  remove_investment: OfVault;
  invest: object;
  stake: object;
  unstake: UnstakeEvidence;
  mint: MintEvidence;
  deliver: DeliveryEvidence;
  liquidity: LiquidityEvidence;
  refund: OfVault;
  fan_out: object;
  anchor: AnchorEvidence;
  execute: ExecutionEvidence;
  return_unsolicited: UnsolicitedEvidence;
  gather_pot: OfEndingVault;
  hand_over: HandOverEvidence;
  pay_remainder: RemainderEvidence;
  close_vault: ClosingEvidence;
  claim: ClaimEvidence;
  move_custody: OfVault;
  move_kept: OfVault;
}
