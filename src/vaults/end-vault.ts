import type { Caller } from '../access/rules.ts';
import type { AnchoredChange, AnchoringContext } from '../anchoring/anchors.ts';
import { vaultAddresses } from '../cardano/scripts/vault-addresses.ts';
import type { ServiceContext } from '../context.ts';
import { publish, platformEventFields, type Publication } from '../events/publish.ts';
import { isVaultInQuarantine } from '../ledger-follower/queries/quarantine.ts';
import type { Db } from '../platform/database/database.ts';
import { lockExclusive } from '../platform/database/locks.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { ServiceError } from '../platform/errors.ts';
import { vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { type Instant, secondsAfter } from '../platform/units/time.ts';
import { holdsDeposit } from '../settlement/queries/payments.ts';
import { latestLive } from '../transactions/platform-transactions.ts';
import { vaultTransactions, isAnyUnconfirmed, isAnyOpen } from '../transactions/queries/listed-transactions.ts';
import { publishVaultChange, requireChangeableVault, type VaultChangeInput, lockVaultState } from './change-vault.ts';
import { endHold, releaseVault } from './holds.ts';
import {
  recordCancelRequest,
  setFailureReason,
  findDeletionObstacles,
  markDeleted,
  deleteVaultRows,
  markErased,
  vaultsToErase,
} from './queries/vault-changes.ts';
import { getVault, lockVaultRow } from './queries/vaults.ts';
import { getWindows } from './queries/windows.ts';
import { vaultActionRefusal } from './rules/allowed-actions.ts';
import { refundReasonOf, type TerminationReason } from './rules/vault.ts';
import { transitionWindow, transitionVault } from './transitions.ts';
import { requireReadableVault } from './require-vault.ts';

/** Requests the cancellation of a vault while no settlement is planned (design D30); its workflow returns all deposits. */
export async function cancelVault(context: AnchoringContext, input: VaultChangeInput): Promise<AnchoredChange> {
  const { vaultId } = input;
  const changeable = await requireChangeableVault(context, input, 'cancel');
  await requestCancellation(context, vaultId);
  return publishVaultChange(context, changeable, input, {
    action: 'VAULT_CANCEL_REQUESTED',
    kind: 'vault_cancel_requested',
    data: {},
  });
}

/** Records that a vault is to be cancelled, and tells its workflow. */
async function requestCancellation(context: TransactionContext, vaultId: string): Promise<void> {
  await recordCancelRequest(context, vaultId);
  await enqueueWorkflowMessage(context, vaultWorkflowId(vaultId), { kind: 'signal', signal: 'cancelRequested' });
}

/** With less time left before the deadline no mint is built. */
const MINT_SECONDS = 60;

interface FailVault {
  readonly vaultId: string;
  readonly reason: TerminationReason;
  readonly now: Instant;
}

/**
 * Decides, while nothing is minted, that all deposits of a vault go back to their owners; its open windows fail. Returns 'minted',
 * and changes nothing, when the settlement deadline comes to a vault whose mint has been confirmed or still may.
 */
export function failVault(
  { unitOfWork }: Pick<ServiceContext, 'unitOfWork'>,
  { vaultId, reason, now }: FailVault,
): Promise<'minted' | undefined> {
  return unitOfWork(async ({ tx, ids }) => {
    const context = { tx, ids, now };
    const { failedBecause, settlesBy } = await getVault(tx, vaultId);
    const isDue = reason === 'settlement_deadline' && now >= secondsAfter(settlesBy, -MINT_SECONDS);
    // Every other reason is recorded before. Anybody who reaches Temporal can ask for it.
    if (refundReasonOf(failedBecause) === null && !isDue) throw new Error(`vault ${vaultId} has no reason to fail`);
    if (reason === 'settlement_deadline' && latestLive(await vaultTransactions(tx, vaultId, ['mint']), 'mint'))
      return 'minted';
    await lockExclusive(tx, `window:${vaultId}:asset`);
    await lockExclusive(tx, `window:${vaultId}:investment`);
    if (await setFailureReason(context, vaultId, reason)) await publish(context, vaultFailedEvent(vaultId, reason));
    await releaseVault(context, vaultId);
    await endHold(context, vaultId, 'repeated_failures');
    const { asset, investment } = await getWindows(tx, vaultId);
    for (const window of [asset, investment]) {
      if (window.status === 'PENDING' || window.status === 'ACTIVE')
        await transitionWindow(context, vaultId, window, 'FAILED');
    }
    return undefined;
  });
}

interface TerminateVault {
  readonly vaultId: string;
  readonly reason: TerminationReason;
  readonly now: Instant;
}

/**
 * Terminates a vault whose deposits are back; 'refunding' while one is not, while a rollback has removed a refund from the ledger, or
 * while an effect is in quarantine.
 */
export async function terminateVault(
  { unitOfWork }: Pick<ServiceContext, 'unitOfWork'>,
  { vaultId, reason, now }: TerminateVault,
): Promise<'refunding' | 'terminated'> {
  return unitOfWork(async ({ tx, ids }) => {
    const vault = await lockVaultRow(tx, vaultId);
    // Anybody who reaches Temporal can ask for it.
    if (refundReasonOf(vault.failedBecause) === null) throw new Error(`vault ${vaultId} has not failed`);
    if (await isAnyUnconfirmed(tx, vaultId, ['refund'])) return 'refunding';
    if ((await holdsDeposit(tx, vaultId)) || (await isVaultInQuarantine(tx, vaultId))) return 'refunding';
    if (vault.status !== 'TERMINATED')
      await transitionVault({ tx, ids, now }, vault, { status: 'TERMINATED', terminationReason: reason });
    return 'terminated';
  });
}

/** Whether the ledger holds anything at the vault's own addresses besides its NFT and what closing has left in custody. */
export async function prefetchDeletion(
  { db, ledger, networkId }: Pick<ServiceContext, 'db' | 'ledger' | 'networkId'>,
  caller: Caller,
  vaultId: string,
): Promise<boolean> {
  const vault = await requireReadableVault(db, caller, vaultId);
  const own = vaultAddresses(vault, { depositors: [], stakeAddresses: [] }, networkId);
  const makers = await vaultTransactions(db, vaultId, ['create_vault', 'close_vault']);
  const hashes = new Set(makers.map(({ hash }) => hash));
  const ofValue = own.map(async ({ kind, address }) => {
    const outputs = await ledger.custodyUtxos(address);
    // What closing has left in the pot is for those who claim late.
    return kind === 'custody' ? outputs.filter(({ txHash }) => !hashes.has(txHash)) : outputs;
  });
  return (await Promise.all(ofValue)).some((outputs) => outputs.length > 0);
}

/**
 * Deletes a vault that is a DRAFT or has ended, and that neither holds nor owes anything (design D39): from now on no
 * reader finds it, and the sweep deletes its rows. A draft is cancelled, so that its workflow ends.
 */
export async function deleteVault(
  context: AnchoringContext,
  input: VaultChangeInput,
  holdsValue: boolean,
): Promise<AnchoredChange> {
  const { tx, now } = context;
  const { vaultId, caller } = input;
  const { vault, snapshot } = await lockVaultState(context, input);
  const { status } = vault;
  const refusal = vaultActionRefusal('delete', snapshot, now);
  if (refusal) throw new ServiceError(refusal, { status });
  const blockedBy = await findDeletionObstacles(tx, vaultId, now);
  if (blockedBy.length === 0 && holdsValue) blockedBy.push('value_on_ledger');
  if (blockedBy.length > 0) throw new ServiceError('VAULT_NOT_DELETABLE', { status, blockedBy });

  if (vault.failedBecause === null && status === 'DRAFT') await requestCancellation(context, vaultId);
  await markDeleted(context, vaultId);
  const acting = { vault, actor: caller.wallet ?? 'platform', onBehalfOf: undefined };
  return publishVaultChange(context, acting, input, {
    action: 'VAULT_DELETED',
    kind: 'vault_deleted',
    data: { status },
  });
}

/** A batch is a database transaction of its own, which takes some milliseconds. */
const BATCH = 1000;
/** The rest waits for the next sweep, so that a large vault keeps nothing else waiting. */
const BATCHES = 100;
const MAX_VAULTS = 20;

/**
 * Deletes, in batches, the rows of deleted vaults (design D39). Those of a vault that still returns something, or whose transactions
 * can still change it, stay until it no longer does; no reader sees them meanwhile.
 */
export async function eraseDeletedVaults(db: Db, now: Instant, batches = BATCHES): Promise<void> {
  let left = batches;
  for (const vaultId of await vaultsToErase(db, MAX_VAULTS)) {
    if (await isInUse(db, vaultId, now)) continue;
    while (left > 0 && (await deleteVaultRows(db, vaultId, BATCH)) > 0) left -= 1;
    if (left === 0) return;
    await markErased(db, vaultId, now);
  }
}

async function isInUse(db: Db, vaultId: string, now: Instant): Promise<boolean> {
  if ((await findDeletionObstacles(db, vaultId, now)).length > 0) return true;
  return isAnyOpen(db, vaultId, ['create_vault']);
}

/** That deposits will be returned. */
export function vaultFailedEvent(vaultId: string, reason: TerminationReason): Publication {
  return { event: { type: 'VAULT_FAILED', ...platformEventFields(vaultId), transactionHash: null, data: { reason } } };
}
