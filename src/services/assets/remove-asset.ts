import { requireMayActFor, type Caller } from '../../domain/identity/caller.ts';
import { readWalletAddress } from '../../chain/scripts/address.ts';
import { buildDepositReturn } from '../../chain/build/deposit-return.ts';
import type { NetworkState } from '../../chain/ledger/network-state.ts';
import { outputUtxo, type BuiltTransaction } from '../../chain/transaction.ts';
import { depositAddressOf } from '../../chain/scripts/script-addresses.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type Asset, lockAssetRow } from '../../store/assets.ts';
import { setRemoveTransaction } from '../../store/asset-changes.ts';
import { findTransaction, recordTransaction } from '../../store/chain-transactions.ts';
import { recordEvent } from '../../store/events.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import type { Vault } from '../../store/vaults.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { transactionWorkflowId } from '../../temporal/workflow-ids.ts';
import type { ServiceContext } from '../context.ts';
import { publish } from '../publish.ts';
import { requireOpenWindow, requireTimeToLand } from '../vaults/require-vault.ts';
import { deadlineBefore, type Deadline } from '../transactions/deadline.ts';

interface Removal {
  readonly vaultId: string;
  readonly assetId: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

export interface RemovedAsset extends Deadline {
  readonly vault: Vault;
  readonly transaction: BuiltTransaction;
}

/**
 * Returns an asset to its contributor while the asset window is open, by a transaction the platform signs and the delivery
 * deposit pays (design D16). Raises ASSET_NOT_FOUND, INSUFFICIENT_PERMISSIONS, ASSET_NOT_LOCKED, ASSET_ALREADY_LEAVING,
 * ASSET_ALREADY_REMOVED and what `requireOpenWindow` raises.
 */
export async function removeAsset(
  work: TransactionContext,
  context: ServiceContext,
  removal: Removal,
  facts: () => NetworkState,
): Promise<RemovedAsset> {
  const { tx, now } = work;
  const { ids } = context;
  const { vault, window } = await requireOpenWindow(work, removal.caller, removal.vaultId, 'asset');
  const asset = await lockAssetRow(tx, removal.assetId);
  if (asset?.vaultId !== vault.id) throw new ServiceError('ASSET_NOT_FOUND');
  const onBehalfOf = actsFor(removal.caller, asset, vault);
  requireInVault(asset);

  const chain = facts();
  const deadline = deadlineBefore(window.endsAt, now, chain.anchor);
  requireTimeToLand(deadline, window, work);
  const built = await buildRemoval(work, context, { asset, vault, chain, deadline });
  const transactionId = ids.next();
  const ownerWorkflow = transactionWorkflowId(transactionId);
  const { expiresAt } = deadline;
  const record = {
    id: transactionId,
    kind: 'remove_asset',
    vaultId: vault.id,
    ownerWorkflow,
    signer: 'platform',
  } as const;
  const isFree = await recordTransaction(tx, { ...record, wallet: asset.owner, expiresAt, built }, now);
  if (!isFree) throw new ServiceError('ASSET_ALREADY_LEAVING');

  await setRemoveTransaction(tx, asset.id, transactionId, now);
  await enqueueWorkflowMessage({ tx, ids }, ownerWorkflow, {
    kind: 'start',
    workflow: 'transaction',
    transactionId,
    vaultId: vault.id,
  });
  const data = { assetId: asset.id, policyId: asset.policyId, assetName: asset.assetName };
  const told = { actor: asset.owner, transactionHash: built.hash, correlationId: removal.correlationId, data };
  await recordEvent({ tx, ids, now }, { type: 'ASSET_REMOVE_STARTED', vaultId: vault.id, ...told });
  const deed = {
    action: 'ASSET_REMOVE_STARTED',
    resource: { type: 'asset', id: asset.id },
    caller: removal.caller,
  } as const;
  await publish(
    { tx, ids, now },
    { audit: { ...deed, onBehalfOf, metadata: { vaultId: vault.id, transactionHash: built.hash } } },
  );
  return { vault, transaction: built, ...deadline };
}

/** The contributor or the vault's admin, themselves or by a key that speaks for them; answers for whom a key spoke. */
function actsFor(caller: Caller, { owner }: Asset, { createdBy }: Vault): string | undefined {
  return requireMayActFor(caller, caller.wallet === createdBy ? createdBy : owner);
}

function requireInVault({ status, removeTransactionId }: Asset): void {
  if (status === 'RELEASED') throw new ServiceError('ASSET_ALREADY_REMOVED');
  if (removeTransactionId !== null) throw new ServiceError('ASSET_ALREADY_LEAVING');
  if (status === 'PENDING') throw new ServiceError('ASSET_NOT_LOCKED');
}

interface RemovalParts {
  readonly asset: Asset;
  readonly vault: Vault;
  readonly chain: NetworkState;
  readonly deadline: Deadline;
}

async function buildRemoval(
  { tx }: TransactionContext,
  { networkId }: ServiceContext,
  { asset, vault, chain, deadline }: RemovalParts,
): Promise<BuiltTransaction> {
  const brought = await findTransaction(tx, asset.addTransactionId);
  const owner = readWalletAddress(asset.owner, networkId);
  if (!brought || typeof owner === 'string') throw new Error(`asset ${asset.id} was not brought by a transaction`);
  const { script } = depositAddressOf(vault, owner.paymentKeyHash, networkId);
  const deposit = { utxo: outputUtxo(brought, 0), script, owner: asset.owner };
  const { vaultKeyHash } = vault;
  return buildDepositReturn(chain, { deposits: [deposit], vaultKeyHash, ttlSlot: deadline.ttlSlot }).transaction;
}
