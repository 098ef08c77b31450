import { parseWalletAddress, readPaymentKeyHash } from '../cardano/scripts/address.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import { refText } from './rules/utxo-ref.ts';
import type { ChainTransaction } from './queries/chain-transactions.ts';
import type { Transaction } from '../platform/database/database.ts';
import { closeFence } from '../platform/database/fences.ts';
import type { StoredWitness } from '../platform/database/tables/transactions.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { leaseInputs } from './queries/utxo-leases.ts';
import type { ServiceContext } from '../context.ts';

interface SignedExecution extends Pick<ServiceContext, 'networkId'> {
  readonly transaction: ChainTransaction;
  readonly witnesses: readonly StoredWitness[];
}

/** Leases the UTxOs that an execution's partner brings, once the partner has signed. Throws WALLET_FUNDS_IN_USE. */
export async function leaseOnSignature(
  { tx }: TransactionContext,
  { transaction, witnesses, networkId }: SignedExecution,
): Promise<void> {
  const { kind, wallet } = transaction;
  if (kind !== 'execute' || wallet === null) return;
  const { paymentKeyHash } = parseWalletAddress(wallet, networkId);
  if (!witnesses.some(({ keyHash }) => keyHash === paymentKeyHash)) return;
  await closeFence(tx, `wallet:${wallet}`);
  await leaseSignedInputs(tx, transaction);
}

/** Leases the inputs that were not leased before the signature. Throws WALLET_FUNDS_IN_USE, and CLAIM_OUTPUT_TAKEN for one of the pot. */
export async function leaseSignedInputs(tx: Transaction, transaction: ChainTransaction): Promise<void> {
  const held = await leaseInputs(tx, transaction);
  const { wallet, kind } = transaction;
  const ofPot = held.filter(({ address }) => readPaymentKeyHash(address) === undefined);
  if (kind === 'claim' && ofPot.length > 0)
    throw new ServiceError('CLAIM_OUTPUT_TAKEN', { outputs: ofPot.map(refText) });
  if (held.length > 0) throw new ServiceError('WALLET_FUNDS_IN_USE', { wallet, inputs: held.map(refText) });
}
