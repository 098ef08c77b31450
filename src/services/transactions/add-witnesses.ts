import type { Caller } from '../../domain/identity/caller.ts';
import { parseWalletAddress } from '../../chain/scripts/address.ts';
import type { NetworkState } from '../../chain/ledger/network-state.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type Instant, isoText } from '../../domain/units/instant.ts';
import type { WindowKind } from '../../domain/vault/window.ts';
import { type ChainTransaction, findTransactionByHash, lockTransaction } from '../../store/chain-transactions.ts';
import type { StoredWitness } from '../../store/tables/transactions.ts';
import { changeTransactionState, storeWitnesses } from '../../store/transaction-changes.ts';
import { incrementAssetCount } from '../../store/vault-changes.ts';
import { getVault } from '../../store/vaults.ts';
import { recordEvent } from '../../store/events.ts';
import { closeFence, shareFence } from '../../store/fences.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { leaseInputs } from '../../store/utxo-leases.ts';
import { holdWindowOpen } from '../../store/windows.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import type { ServiceContext } from '../context.ts';
import { publish } from '../publish.ts';
import { requireVaultNotEnded } from '../vaults/require-vault.ts';
import { mergeWitnessLists, preflightSigned, verifyWitnessSet } from './verify-witnesses.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';

interface Witnessing {
  readonly hash: string;
  readonly witnessSet: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

/**
 * Keeps a wallet's signatures of a transaction and, once none is missing, has it sent. Posting the same again changes nothing.
 * Raises TRANSACTION_NOT_FOUND, TRANSACTION_EXPIRED, TRANSACTION_NOT_AWAITING_SIGNATURES, WALLET_FUNDS_IN_USE, what `verifyWitnessSet` raises, and
 * when none is missing what its window, its vault's places and the ledger's rules refuse.
 */
export async function addWitnesses(
  work: TransactionContext,
  context: ServiceContext,
  witnessing: Witnessing,
  facts: () => NetworkState,
): Promise<ChainTransaction> {
  const { tx, now } = work;
  const transaction = await lockedTransaction(work, witnessing.hash);
  if (transaction.signer !== 'wallet') throw new ServiceError('TRANSACTION_NOT_AWAITING_SIGNATURES');
  const given = await verifyWitnessSet(tx, transaction, witnessing.witnessSet);
  requireUnexpired(transaction, now);
  if (transaction.state !== 'awaiting_signatures') return transaction;

  const witnesses = mergeWitnessLists(transaction.witnesses, given);
  if (witnesses.length === transaction.witnesses.length) return transaction;
  await holdInputs(work, context, transaction, witnesses);
  await storeWitnesses(tx, transaction.id, witnesses);
  await tell(work, context, witnessing, transaction);
  const signed = { ...transaction, witnesses };
  if (!isToBeReleased(signed)) return signed;
  await release(work, context, signed, facts());
  return { ...signed, state: 'pending', updatedAt: now };
}

function requireUnexpired({ state, expiresAt, error }: ChainTransaction, now: Instant): void {
  const isWaiting = state === 'awaiting_signatures';
  const isWithdrawn = isWaiting && error !== null;
  const isOver = expiresAt <= now;
  if (state !== 'expired' && !isWithdrawn && !(isWaiting && isOver)) return;
  // What gave way to another ended before its time.
  throw new ServiceError('TRANSACTION_EXPIRED', { ...(isOver && { expiresAt: isoText(expiresAt) }), reason: error });
}

const windowOf: Partial<Record<ChainTransaction['kind'], WindowKind>> = { add_asset: 'asset', invest: 'investment' };

/** Behind its window's fence, so that the window cannot close between these checks and the commit. */
async function lockedTransaction({ tx }: TransactionContext, hash: string): Promise<ChainTransaction> {
  const found = await findTransactionByHash(tx, hash);
  const kind = found && windowOf[found.kind];
  if (found?.vaultId && kind) await shareFence(tx, `window:${found.vaultId}:${kind}`);
  const transaction = found && (await lockTransaction(tx, found.id));
  if (!transaction) throw new ServiceError('TRANSACTION_NOT_FOUND');
  return transaction;
}

/** Who is named to buy or sell gives nothing away before he signs. Raises WALLET_FUNDS_IN_USE. */
async function holdInputs(
  { tx }: TransactionContext,
  { networkId }: ServiceContext,
  transaction: ChainTransaction,
  witnesses: readonly StoredWitness[],
): Promise<void> {
  const { kind, wallet } = transaction;
  if (kind !== 'execute' || wallet === null) return;
  const { paymentKeyHash } = parseWalletAddress(wallet, networkId);
  if (!witnesses.some(({ keyHash }) => keyHash === paymentKeyHash)) return;
  await closeFence(tx, `wallet:${wallet}`);
  const held = await leaseInputs(tx, transaction);
  if (held.length > 0) throw new ServiceError('WALLET_FUNDS_IN_USE', { wallet, inputs: held.map(refText) });
}

function isToBeReleased({ kind, requiredSigners, platformSigners, witnesses }: ChainTransaction): boolean {
  // What executes a proposal is sent by whoever executes it, not by the last signature.
  if (kind === 'execute') return false;
  const present = [...platformSigners, ...witnesses.map(({ keyHash }) => keyHash)];
  return requiredSigners.every((required) => present.includes(required));
}

/** Lets a transaction go that no wallet's signature is missing of. */
async function release(
  work: TransactionContext,
  { ids }: ServiceContext,
  signed: ChainTransaction,
  chain: NetworkState,
) {
  const { tx, now } = work;
  const { vaultId, kind, ownerWorkflow } = signed;
  const window = windowOf[kind];
  if (vaultId !== null && window) {
    requireVaultNotEnded(await getVault(tx, vaultId));
    await holdWindowOpen(tx, vaultId, window, now);
  }
  if (vaultId !== null && kind === 'add_asset' && !(await incrementAssetCount(tx, vaultId))) {
    throw new ServiceError('MAX_ASSETS_REACHED');
  }
  // The ledger's rules want every signature, and ours are the worker's to give: it judges by them before it sends.
  if (signed.platformSigners.length === 0) preflightSigned(signed, { chain, now });
  await changeTransactionState(tx, signed, { to: 'pending' }, now);
  await enqueueWorkflowMessage({ tx, ids }, ownerWorkflow, { kind: 'signal', signal: 'witnessed' });
}

async function tell(
  { tx, now }: TransactionContext,
  { ids }: ServiceContext,
  { caller, correlationId }: Witnessing,
  { id, kind, hash, vaultId, wallet }: ChainTransaction,
): Promise<void> {
  const told = { vaultId, actor: wallet ?? 'unknown', transactionHash: hash, correlationId, data: { kind } };
  await recordEvent({ tx, ids, now }, { type: 'TRANSACTION_SIGNED', ...told });
  const deed = { action: 'TRANSACTION_SIGNED', resource: { type: 'transaction', id }, caller } as const;
  await publish({ tx, ids, now }, { audit: { ...deed, metadata: { hash, wallet } } });
}
