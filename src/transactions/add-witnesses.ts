import type { Caller } from '../access/rules/caller.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import { isSignedByWallets } from './rules/signatures.ts';
import { isOnLedger } from './rules/transaction-state.ts';
import { type Instant, isoText } from '../platform/units/instant.ts';
import type { WindowKind } from '../vaults/rules/window.ts';
import { type ChainTransaction, lockTransaction } from './queries/chain-transactions.ts';
import { changeTransactionState, storeWitnesses } from './queries/transaction-changes.ts';
import type { StoredWitness } from '../platform/database/tables/transactions.ts';
import { shareFence } from '../platform/database/fences.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { leaseOnSignature, leaseSignedInputs } from './lease-signed-inputs.ts';
import { countSignedAssets } from '../assets/count-signed-assets.ts';
import { requireNoSaleUnderWay } from '../termination/claims/require-no-sale.ts';
import { requirePresentShare } from '../termination/claims/require-present-share.ts';
import { getVault } from '../vaults/queries/vaults.ts';
import { holdWindowOpen } from '../vaults/queries/windows.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { ServiceContext } from '../context.ts';
import { publishAction } from '../events/publish.ts';
import { requireVaultNotEnded } from '../vaults/require-vault-state.ts';
import { findRecordFor, walletsAskedToSign } from './read-transactions.ts';
import { isSignedByNeeded, mergeWitnessLists, preflightSigned, verifyWitnessSet } from './verify-witness-set.ts';
import { submitSigned } from './submit-signed.ts';

interface AddWitnessesInput {
  readonly hash: string;
  /** CBOR hex. */
  readonly witnessSet: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

/**
 * Stores a wallet's signatures of a transaction and, when none is missing any more, has it submitted. Posting the same signatures
 * again changes nothing. Throws TRANSACTION_NOT_FOUND, TRANSACTION_EXPIRED, TRANSACTION_NOT_AWAITING_SIGNATURES,
 * WALLET_FUNDS_IN_USE, CLAIM_OUTPUT_TAKEN and what `verifyWitnessSet` throws; with the last signature also the window's _CLOSED,
 * VAULT_ALREADY_ENDED, CLAIMS_AWAIT_SALE, MAX_ASSETS_REACHED and SECURITY_CONSTRAINTS_NOT_MET.
 */
export async function addWitnesses(
  context: TransactionContext,
  { networkId }: Pick<ServiceContext, 'networkId'>,
  input: AddWitnessesInput,
  chain: NetworkState,
): Promise<ChainTransaction> {
  const { tx, now } = context;
  const transaction = await lockTransactionAndWindow(tx, await requireKnown(tx, input));
  if (transaction.signer !== 'wallet') throw new ServiceError('TRANSACTION_NOT_AWAITING_SIGNATURES');
  const added = await verifyWitnessSet(tx, transaction, input.witnessSet);
  requireUnexpired(transaction, now);
  if (transaction.state !== 'awaiting_signatures') return transaction;

  const witnesses = mergeWitnessLists(transaction.witnesses, added);
  const given = witnesses.filter((witness) => !transaction.witnesses.includes(witness));
  if (given.length === 0) return transaction;
  await leaseOnSignature(context, { transaction, witnesses, networkId });
  await storeWitnesses(tx, transaction.id, witnesses);
  await publishSignatures(context, input, transaction, given);
  const signed = { ...transaction, witnesses };
  if (!isReadyToSubmit(signed)) return signed;
  await startSubmission(context, signed, chain);
  return { ...signed, state: 'pending', updatedAt: now };
}

/**
 * Whoever may read the vault or signs a transaction of it knows of the transaction; to others it does not exist, and nothing is locked
 * for them. The ledger shows the signatures of what a block has to everybody, so they prove nothing then. Throws TRANSACTION_NOT_FOUND.
 */
async function requireKnown(
  tx: Transaction,
  { hash, witnessSet, caller }: AddWitnessesInput,
): Promise<ChainTransaction> {
  const record = await findRecordFor(tx, caller, hash);
  if (!record) throw new ServiceError('TRANSACTION_NOT_FOUND');
  const { transaction, mayRead } = record;
  const mayProve = transaction.signer === 'wallet' && !isOnLedger(transaction.state);
  if (!mayRead && !(mayProve && isSignedByNeeded(transaction, witnessSet)))
    throw new ServiceError('TRANSACTION_NOT_FOUND');
  return transaction;
}

function requireUnexpired({ state, expiresAt, error }: ChainTransaction, now: Instant): void {
  const isWaiting = state === 'awaiting_signatures';
  const isWithdrawn = isWaiting && error !== null;
  const isOver = expiresAt <= now;
  if (state !== 'expired' && !isWithdrawn && !(isWaiting && isOver)) return;
  // A superseded transaction ends before `expiresAt`.
  throw new ServiceError('TRANSACTION_EXPIRED', { ...(isOver && { expiresAt: isoText(expiresAt) }), reason: error });
}

const windowOf: Partial<Record<ChainTransaction['kind'], WindowKind>> = { add_asset: 'asset', invest: 'investment' };

/** Takes the fence of the transaction's window first, so that the window cannot close between these checks and the commit. */
async function lockTransactionAndWindow(
  tx: Transaction,
  { id, kind, vaultId }: ChainTransaction,
): Promise<ChainTransaction> {
  const window = windowOf[kind];
  if (vaultId !== null && window) await shareFence(tx, `window:${vaultId}:${window}`);
  const transaction = await lockTransaction(tx, id);
  if (!transaction) throw new ServiceError('TRANSACTION_NOT_FOUND');
  return transaction;
}

function isReadyToSubmit(transaction: ChainTransaction): boolean {
  // An execution is submitted by the request to execute it, not by the last signature.
  return transaction.kind !== 'execute' && isSignedByWallets(transaction);
}

/** Has a transaction submitted that every wallet has signed. */
async function startSubmission(
  context: TransactionContext,
  signed: ChainTransaction,
  chain: NetworkState,
): Promise<void> {
  const { tx, now } = context;
  const { vaultId, kind } = signed;
  const window = windowOf[kind];
  if (vaultId !== null && window) {
    requireVaultNotEnded(await getVault(tx, vaultId));
    await holdWindowOpen(context, vaultId, window);
  }
  if (vaultId !== null && kind === 'claim') {
    await requireNoSaleUnderWay(tx, vaultId);
    await requirePresentShare(tx, signed.id);
  }
  await leaseSignedInputs(tx, signed);
  if (kind === 'add_asset') await countSignedAssets(tx, signed);
  // The ledger rules need every signature. Where the worker signs too, it checks them before it submits.
  if (signed.platformSigners.length === 0) preflightSigned(signed, { chain, now });
  await changeTransactionState(context, signed, { to: 'pending' });
  await submitSigned(context, signed);
}

/** Publishes whose signatures were given: of an execution those of the cosigners' and the partner's wallets. */
async function publishSignatures(
  context: TransactionContext,
  { caller, correlationId }: AddWitnessesInput,
  transaction: ChainTransaction,
  given: readonly StoredWitness[],
): Promise<void> {
  const { kind, hash, vaultId, wallet } = transaction;
  const keyHashes = given.map(({ keyHash }) => keyHash);
  const asked = await walletsAskedToSign(context.tx, transaction);
  const named = asked.filter(({ keyHash }) => keyHashes.includes(keyHash));
  // The other keys are further ones of the wallet whose transaction it is.
  const wallets = named.length > 0 ? named.map((signer) => signer.wallet) : [wallet];
  await publishAction(context, {
    action: 'TRANSACTION_SIGNED',
    vaultId,
    actor: wallets[0] ?? 'unknown',
    transactionHash: hash,
    eventData: { kind },
    resource: { type: 'transaction', id: hash },
    metadata: { wallets, keyHashes },
    caller,
    correlationId,
  });
}
