import type { Caller } from '../access/rules.ts';
import { countSignedAssets } from '../assets/count-signed-assets.ts';
import { preflight } from '../cardano/build/preflight.ts';
import {
  verifyWitnesses,
  readWitnessSet,
  isSignatureOf,
  mergeWitnesses,
  type Witness,
} from '../cardano/keys/witnesses.ts';
import { findSpendingTransaction, isUnspent } from '../cardano/ledger/history.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import { slotAt } from '../cardano/ledger/slots.ts';
import { parseWalletAddress, readPaymentKeyHash } from '../cardano/scripts/address.ts';
import type { Utxo } from '../cardano/transaction.ts';
import type { ServiceContext } from '../context.ts';
import { publishAction } from '../events/publish.ts';
import type { Transaction } from '../platform/database/database.ts';
import { lockShared, lockExclusive } from '../platform/database/locks.ts';
import type { StoredWitness } from '../platform/database/tables/ledger.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { ServiceError } from '../platform/errors.ts';
import { type Instant, isoText } from '../platform/units/time.ts';
import { requireNoSaleUnderWay, requireCurrentShare } from '../termination/claim.ts';
import { changeTransactionState, storeWitnesses } from './queries/changes.ts';
import {
  type ChainTransaction,
  lockTransaction,
  otherHashesAwaiting,
  findTransactionByHash,
} from './queries/transactions.ts';
import { leaseInputs } from './queries/utxo-leases.ts';
import { findRecordFor, walletsAskedToSign } from './read-transactions.ts';
import { isSignedByWallets, isOnLedger, signingKeys, isOpen, type InputConflict, refText } from './rules.ts';
import { submitSigned } from './submission.ts';
import { getVault } from '../vaults/queries/vaults.ts';
import { holdWindowOpen } from '../vaults/queries/windows.ts';
import { requireVaultNotEnded } from '../vaults/require-vault.ts';
import type { WindowKind } from '../vaults/rules/window.ts';
import type { WorkerContext } from '../worker-context.ts';

interface AddWitnessesInput {
  readonly hash: string;
  /** CBOR hex. */
  readonly witnessSet: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

/**
 * Stores a wallet's signatures of a transaction and, when none is missing any more, has it submitted. Posting the same signatures
 * again changes nothing.
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

  // Of the same key the stored one.
  const byKey = new Map([...added, ...transaction.witnesses].map((witness) => [witness.keyHash, witness]));
  const witnesses: readonly StoredWitness[] = [...byKey.values()];
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
 * for them. The ledger shows the signatures of what a block has to everybody, so they prove nothing then.
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

/** Locks the transaction's window first, so that the window cannot close between these checks and the commit. */
async function lockTransactionAndWindow(
  tx: Transaction,
  { id, kind, vaultId }: ChainTransaction,
): Promise<ChainTransaction> {
  const window = windowOf[kind];
  if (vaultId !== null && window) await lockShared(tx, `window:${vaultId}:${window}`);
  const transaction = await lockTransaction(tx, id);
  if (!transaction) throw new ServiceError('TRANSACTION_NOT_FOUND');
  return transaction;
}

function isReadyToSubmit(transaction: ChainTransaction): boolean {
  // An execution is submitted by the request to execute it, not by the last signature.
  return transaction.kind !== 'execute' && isSignedByWallets(transaction);
}

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
    await requireCurrentShare(tx, signed.id);
  }
  await leaseSignedInputs(tx, signed);
  if (kind === 'add_asset') await countSignedAssets(tx, signed);
  // The ledger rules need every signature. Where the worker signs too, it checks them before it submits.
  if (signed.platformSigners.length === 0) {
    const signedCbor = mergeWitnesses(signed.unsignedCbor, signed.witnesses);
    preflight({ signedCbor, inputs: signed.inputs, slot: slotAt(chain.anchor, now), context: chain });
  }
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

/** The signatures in a witness set, after each was verified to be one that this transaction needs. */
async function verifyWitnessSet(
  tx: Transaction,
  transaction: ChainTransaction,
  witnessSet: string,
): Promise<Witness[]> {
  try {
    return neededSignatures(transaction, witnessSet);
  } catch (refusal) {
    if (!(refusal instanceof ServiceError) || refusal.code === 'INVALID_CBOR') throw refusal;
    const refused = readWitnessSet(witnessSet).find(({ keyHash }) => keyHash === refusal.details?.['keyHash']);
    if (!refused) throw refusal;
    const others = await otherHashesAwaiting(tx, refused.keyHash, transaction);
    const signed = others.find((hash) => isSignatureOf(refused, hash));
    if (signed === undefined) throw refusal;
    throw new ServiceError('WITNESS_FOR_ANOTHER_TRANSACTION', { signed }, { cause: refusal });
  }
}

function isSignedByNeeded(transaction: ChainTransaction, witnessSet: string): boolean {
  try {
    neededSignatures(transaction, witnessSet);
    return true;
  } catch (refusal) {
    if (!(refusal instanceof ServiceError)) throw refusal;
    return false;
  }
}

function neededSignatures(transaction: ChainTransaction, witnessSet: string): Witness[] {
  const requiredSigners = signingKeys(transaction).map(({ keyHash }) => keyHash);
  return verifyWitnesses({ ...transaction, requiredSigners }, witnessSet);
}

type Context = Pick<WorkerContext, 'db' | 'ledger' | 'confirmationDepth'>;

/** Why an input cannot be spent: not back after a rollback, or spent for good by another transaction. */
type InputProblem =
  | { readonly kind: 'not yet'; readonly reason: string }
  | { readonly kind: 'spent'; readonly reason: string; readonly conflict: InputConflict | null };

/**
 * Finds the input because of which the ledger may have refused a transaction; null when it is on the ledger itself, or when all its inputs are
 * there. An input counts as spent once the spending transaction is final: until then it may be rolled back, and this one be confirmed after
 * all. For a claim any block suffices, because it holds an output of the pot that others wait for; if it is confirmed after all, it counts.
 */
export async function findInputProblem(
  context: Context,
  { hash, inputs, kind }: ChainTransaction,
): Promise<InputProblem | null> {
  if (await context.ledger.transaction(hash)) return null;
  for (const input of inputs) {
    const problem = await problemOf(context, input, { hash, kind });
    if (problem === null) continue;
    // It may have been confirmed since the ledger was asked first.
    return (await context.ledger.transaction(hash)) ? null : problem;
  }
  return null;
}

async function problemOf(
  context: Context,
  input: Utxo,
  { hash, kind }: Pick<ChainTransaction, 'hash' | 'kind'>,
): Promise<InputProblem | null> {
  if (await isUnspent(context, input)) return null;
  const name = `input ${refText(input)}`;
  const producer = await findTransactionByHash(context.db, input.txHash);
  if (producer && !isOnLedger(producer.state)) {
    if (isOpen(producer.state)) return { kind: 'not yet', reason: `${name} is not back yet` };
    return { kind: 'spent', reason: `${name} can never be on the ledger`, conflict: null };
  }
  const found = await findSpendingTransaction(context, input);
  if (found.kind === 'unfinished')
    return { kind: 'not yet', reason: `the transaction that spent ${name} is not known yet` };
  // An output that somebody else made may come back. An anchor does not wait for that: another one can carry its payloads.
  if (found.kind === 'absent') {
    const reason = `${name} was spent`;
    return kind === 'anchor' ? { kind: 'spent', reason, conflict: null } : { kind: 'not yet', reason };
  }
  // A backend may know what spent the input before it knows that transaction by its hash.
  if (found.spender === hash) return null;
  return problemOfSpent(context, input, { spender: found.spender, isSure: found.isFinal || kind === 'claim' });
}

async function problemOfSpent(
  { ledger }: Context,
  input: Utxo,
  { spender, isSure }: { readonly spender: string; readonly isSure: boolean },
): Promise<InputProblem> {
  const reason = `input ${refText(input)} was spent by another transaction, ${spender}`;
  const found = isSure ? await ledger.transaction(spender) : null;
  if (found === null) return { kind: 'not yet', reason };
  const { blockHeight, blockHash } = found;
  const spent = { txHash: input.txHash, index: input.index };
  return { kind: 'spent', reason, conflict: { input: spent, spentBy: spender, blockHeight, blockHash } };
}

interface SignedExecution extends Pick<ServiceContext, 'networkId'> {
  readonly transaction: ChainTransaction;
  readonly witnesses: readonly StoredWitness[];
}

/** Leases the UTxOs that an execution's partner brings, once the partner has signed. */
async function leaseOnSignature(
  { tx }: TransactionContext,
  { transaction, witnesses, networkId }: SignedExecution,
): Promise<void> {
  const { kind, wallet } = transaction;
  if (kind !== 'execute' || wallet === null) return;
  const { paymentKeyHash } = parseWalletAddress(wallet, networkId);
  if (!witnesses.some(({ keyHash }) => keyHash === paymentKeyHash)) return;
  await lockExclusive(tx, `wallet:${wallet}`);
  await leaseSignedInputs(tx, transaction);
}

async function leaseSignedInputs(tx: Transaction, transaction: ChainTransaction): Promise<void> {
  const held = await leaseInputs(tx, transaction);
  const { wallet, kind } = transaction;
  const ofPot = held.filter(({ address }) => readPaymentKeyHash(address) === undefined);
  if (kind === 'claim' && ofPot.length > 0)
    throw new ServiceError('CLAIM_OUTPUT_TAKEN', { outputs: ofPot.map(refText) });
  if (held.length > 0) throw new ServiceError('WALLET_FUNDS_IN_USE', { wallet, inputs: held.map(refText) });
}
