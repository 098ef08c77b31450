import type { NetworkState } from '../../../chain/ledger/network-state.ts';
import type { Custody } from '../../../chain/build/custody.ts';
import type { Payer } from '../../../chain/build/funding.ts';
import type { BuiltTransaction, Utxo } from '../../../chain/transaction.ts';
import type { Lovelace } from '../../../domain/units/money.ts';
import type { ProposalEffect } from '../../../domain/proposal/effect.ts';
import type { Asset } from '../../../store/assets.ts';
import type { ChainTransaction } from '../../../store/chain-transactions.ts';
import type { Transaction } from '../../../store/database.ts';
import type { TransactionContext } from '../../../store/transaction-context.ts';
import type { BoughtAsset, Execution } from '../../../store/executions.ts';
import type { Vault } from '../../../store/vaults.ts';

/** The approved effect, the requested one, and the wallet that executes. */
export interface EffectRequest<Effect extends ProposalEffect = ProposalEffect> {
  readonly approved: Effect;
  readonly requested: ProposalEffect;
  /** Wallet. */
  readonly executor: string;
}

/** A request with everything that decides whether it is allowed. */
export interface EvaluatedRequest<Effect extends ProposalEffect = ProposalEffect> extends EffectRequest<Effect> {
  /** The assets of the proposal in their current state. */
  readonly assets: readonly Asset[];
  /** Of the assets sold or bought; null when the vote fixed the price, or when there is none. */
  readonly valuation: Lovelace | null;
  readonly vault: Vault;
  /** The type and price of a bought asset; null when nothing is bought. */
  readonly bought: BoughtAsset | null;
}

/** What the transaction of an effect is built from. */
export interface EffectInputs<Effect extends ProposalEffect = ProposalEffect> {
  readonly chain: NetworkState;
  readonly proposalId: string;
  /** With no term left open. */
  readonly effect: Effect;
  readonly assets: readonly Asset[];
  readonly custody: Custody;
  /** All UTxOs in custody, and those among them that no open transaction holds. */
  readonly inCustody: readonly Utxo[];
  readonly free: readonly Utxo[];
  readonly partner: Payer | null;
  /** Pays when neither the vault nor a partner can. */
  readonly operator: Payer | null;
  readonly ttlSlot: number;
}

/** The rules, the transaction and the consequences of one type of proposal. It receives only effects of that type. */
export interface ExecutionEffect<Effect extends ProposalEffect = ProposalEffect> {
  /** Whether the operator may have to pay, because the vault has too little ADA. */
  readonly mayNeedOperator: boolean;
  /** The wallet that signs besides the vault, and pays or is paid; null when there is none. */
  partner(request: EffectRequest<Effect>): string | null;
  /** The effect with no term left open. Throws the error of a request that is not allowed. */
  plan(request: EvaluatedRequest<Effect>): Effect;
  /** Throws ASSET_NO_LONGER_HELD, CUSTODY_IN_USE and what the builder throws. */
  buildTransaction(inputs: EffectInputs<Effect>): BuiltTransaction;
  /** Reserves what must be available when the submitted transaction lands. Throws MAX_ASSETS_REACHED. */
  reserve?(tx: Transaction, execution: Execution): Promise<void>;
  /** Records the effect in Postgres when the transaction is on the ledger. */
  apply(context: TransactionContext, execution: Execution, transaction: ChainTransaction): Promise<void>;
  /** Undoes `apply` after a rollback. */
  undo(context: TransactionContext, execution: Execution, transaction: ChainTransaction): Promise<void>;
  /** Releases what was reserved, when the transaction can no longer land. */
  abandon?(context: TransactionContext, execution: Execution, transaction: ChainTransaction): Promise<void>;
}

/** The partner of an effect that cannot be built without one. */
export function requirePartner({ partner }: EffectInputs): Payer {
  if (!partner) throw new Error('an effect with a partner has none');
  return partner;
}

/** The operator, for an effect that it pays. */
export function requireOperator({ operator }: EffectInputs): Payer {
  if (!operator) throw new Error('an effect that the operator pays has no operator');
  return operator;
}
