import { type Lovelace, lovelace } from '../../domain/units/money.ts';
import {
  splitIntoOutputs,
  buildFitting,
  buildWithFee,
  equalShare,
  requireNonNegative,
  sumHoldings,
} from './balance.ts';
import type { Deposit } from './deposits.ts';
import type { DraftOutput } from './draft.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
import type { BuiltTransaction, KeyHash, Unit } from '../transaction.ts';
import type { UtxoRef } from '../../domain/transaction/utxo-ref.ts';

export interface Return {
  readonly deposits: readonly Deposit[];
  readonly vaultKeyHash: KeyHash;
  readonly ttlSlot: number;
}

/** What one deposit brought back to its owner. */
export interface ReturnPayment {
  readonly owner: string;
  readonly deposit: UtxoRef;
  readonly lovelaceReturned: Lovelace;
  readonly assets: ReadonlyMap<Unit, bigint>;
  readonly feeShare: Lovelace;
}

export interface BuiltReturn {
  readonly transaction: BuiltTransaction;
  /** How many of the deposits, from the first on, it returns; the rest need another transaction. */
  readonly taken: number;
  readonly payments: readonly ReturnPayment[];
}

/** Returns deposits to their owners (removal, refund); each bears an equal share of the fee. Raises INSUFFICIENT_FUNDS. */
export function buildReturn({ parameters }: ChainContext, input: Return): BuiltReturn {
  return buildFitting(parameters, input.deposits.length, (taken) => {
    const deposits = input.deposits.slice(0, taken);
    const transaction = buildWithFee(parameters, (fee) => ({
      inputs: deposits,
      outputs: outputsOf(parameters, paymentsOf(deposits, fee)),
      ttlSlot: input.ttlSlot,
      signers: [input.vaultKeyHash],
    }));
    return { transaction, payments: paymentsOf(deposits, transaction.fee) };
  });
}

function paymentsOf(deposits: readonly Deposit[], fee: bigint): ReturnPayment[] {
  return deposits.map(({ owner, utxo: { txHash, index, ...held } }, position) => {
    const feeShare = lovelace(equalShare(fee, deposits.length, position));
    const lovelaceReturned = lovelace(requireNonNegative(held.lovelace - feeShare));
    return { owner, deposit: { txHash, index }, lovelaceReturned, assets: held.assets, feeShare };
  });
}

/** One output for each owner, more only where their assets do not fit into one. */
function outputsOf(parameters: ProtocolParameters, payments: readonly ReturnPayment[]): DraftOutput[] {
  const byOwner = Map.groupBy(payments, ({ owner }) => owner);
  return [...byOwner].flatMap(([owner, theirs]) =>
    splitIntoOutputs(
      parameters,
      owner,
      sumHoldings(theirs.map((payment) => ({ lovelace: payment.lovelaceReturned, assets: payment.assets }))),
    ),
  );
}
