import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import { splitIntoOutputs } from './outputs.ts';
import { buildLargestFitting, buildWithFee } from './balance.ts';
import { equalShare, requireNonNegative, sumHoldings } from './values.ts';
import type { Deposit } from './deposits.ts';
import type { DraftOutput } from './draft.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
import type { BuiltTransaction, KeyHash, Unit } from '../transaction.ts';
import type { UtxoRef } from '../../transactions/rules/utxo-ref.ts';

export interface DepositReturn {
  readonly deposits: readonly Deposit[];
  /** The keys that the scripts of the deposits need. */
  readonly signers: readonly KeyHash[];
  /** Those that the body names too, see `TransactionDraft`. */
  readonly enforcedSigners?: readonly KeyHash[];
  readonly ttlSlot: number;
}

/** What the owner of one deposit gets back. */
export interface ReturnedDeposit {
  readonly owner: string;
  readonly deposit: UtxoRef;
  readonly lovelaceReturned: Lovelace;
  readonly assets: ReadonlyMap<Unit, bigint>;
  readonly feeShare: Lovelace;
}

export interface BuiltDepositReturn {
  readonly transaction: BuiltTransaction;
  /** How many deposits it returns, counted from the first; the rest need another transaction. */
  readonly taken: number;
  readonly payments: readonly ReturnedDeposit[];
}

/** Returns deposits to their owners (removal, refund). Each deposit pays an equal share of the fee. Throws INSUFFICIENT_FUNDS. */
export function buildDepositReturn({ parameters }: ChainContext, input: DepositReturn): BuiltDepositReturn {
  return buildLargestFitting(parameters, input.deposits.length, (taken) => {
    const deposits = input.deposits.slice(0, taken);
    const transaction = buildWithFee(parameters, (fee) => ({
      inputs: deposits,
      outputs: outputsOf(parameters, paymentsOf(deposits, fee)),
      ttlSlot: input.ttlSlot,
      signers: input.signers,
      ...(input.enforcedSigners && { enforcedSigners: input.enforcedSigners }),
    }));
    return { transaction, payments: paymentsOf(deposits, transaction.fee) };
  });
}

function paymentsOf(deposits: readonly Deposit[], fee: bigint): ReturnedDeposit[] {
  return deposits.map(({ owner, utxo: { txHash, index, ...held } }, position) => {
    const feeShare = lovelace(equalShare(fee, deposits.length, position));
    const lovelaceReturned = lovelace(requireNonNegative(held.lovelace - feeShare));
    return { owner, deposit: { txHash, index }, lovelaceReturned, assets: held.assets, feeShare };
  });
}

/** One output for each owner, several only if their assets do not fit into one. */
function outputsOf(parameters: ProtocolParameters, payments: readonly ReturnedDeposit[]): DraftOutput[] {
  const byOwner = Map.groupBy(payments, ({ owner }) => owner);
  return [...byOwner].flatMap(([owner, theirs]) =>
    splitIntoOutputs(
      parameters,
      owner,
      sumHoldings(theirs.map((payment) => ({ lovelace: payment.lovelaceReturned, assets: payment.assets }))),
    ),
  );
}
