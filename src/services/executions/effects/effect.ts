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

/** What the vote approved, what is requested for now, and who asks. */
export interface EffectRequest<Effect extends ProposalEffect = ProposalEffect> {
  readonly approved: Effect;
  readonly requested: ProposalEffect;
  /** Wallet. */
  readonly executor: string;
}

/** A request with everything it is judged by. */
export interface EvaluatedRequest<Effect extends ProposalEffect = ProposalEffect> extends EffectRequest<Effect> {
  /** Of the vote, as they are now. */
  readonly assets: readonly Asset[];
  /** Of what is sold or bought; null when there is no price. */
  readonly valuation: Lovelace | null;
  readonly vault: Vault;
  /** What is bought, as it would lie in the vault; null when nothing is. */
  readonly bought: BoughtAsset | null;
}

/** What a transaction is built from. */
export interface EffectInputs<Effect extends ProposalEffect = ProposalEffect> {
  readonly chain: NetworkState;
  readonly proposalId: string;
  /** With nothing left open. */
  readonly effect: Effect;
  readonly assets: readonly Asset[];
  readonly custody: Custody;
  /** Everything in custody, and of it what no open transaction holds. */
  readonly inCustody: readonly Utxo[];
  readonly free: readonly Utxo[];
  readonly partner: Payer | null;
  /** Pays for what neither the vault nor a partner pays. */
  readonly operator: Payer | null;
  readonly ttlSlot: number;
}

/** One kind of proposal. Each is only handed effects of its own type. */
export interface ExecutionEffect<Effect extends ProposalEffect = ProposalEffect> {
  /** Whether the operator may have to pay: a vault may have no ADA to decide about what it has. */
  readonly mayNeedOperator: boolean;
  /** Who signs and pays, or is paid, besides the vault; null when nobody does. */
  partner(request: EffectRequest<Effect>): string | null;
  /** What will be done, with nothing left open; raises what the action is refused with. */
  plan(judged: EvaluatedRequest<Effect>): Effect;
  /** Raises ASSET_NO_LONGER_HELD, CUSTODY_IN_USE and what the builder raises. */
  buildTransaction(material: EffectInputs<Effect>): BuiltTransaction;
  /** Takes what has to be there when it lands, as it is sent; raises MAX_ASSETS_REACHED. */
  reserve?(tx: Transaction, execution: Execution): Promise<void>;
  /** What follows in Postgres while the transaction is on the ledger. */
  apply(scene: TransactionContext, execution: Execution, transaction: ChainTransaction): Promise<void>;
  /** Undoes `apply` after a rollback. */
  undo(scene: TransactionContext, execution: Execution, transaction: ChainTransaction): Promise<void>;
  /** The transaction can never land any more: gives back what was reserved. */
  abandon?(scene: TransactionContext, execution: Execution, transaction: ChainTransaction): Promise<void>;
}

/** The partner of an effect that cannot be built without one. */
export function requirePartner({ partner }: EffectInputs): Payer {
  if (!partner) throw new Error('this effect has a partner');
  return partner;
}

/** The operator, for an effect that it pays. */
export function requireOperator({ operator }: EffectInputs): Payer {
  if (!operator) throw new Error('this effect is paid by the operator');
  return operator;
}
