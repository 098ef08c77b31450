import { requireMayActFor, type Caller } from '../access/rules.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import type { BuiltTransaction } from '../cardano/transaction.ts';
import { mayAdminRemove } from './rules/removal.ts';
import { ServiceError } from '../platform/errors.ts';
import type { Lovelace } from '../platform/units/money.ts';
import { type Asset, lockAssetRow, setRemoveTransaction } from './queries/assets.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import type { ServiceContext } from '../context.ts';
import { publishAction } from '../events/publish.ts';
import { requireOpenWindow } from '../vaults/require-vault.ts';
import { startDepositReturn } from '../transactions/return-deposit.ts';
import { totalAssetValue } from './read-assets.ts';

interface RemoveAssetInput {
  readonly vaultId: string;
  readonly assetId: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

export interface StartedRemoval {
  readonly transaction: BuiltTransaction;
  /** Of the assets that stay, in lovelace. */
  readonly remainingValue: Lovelace;
}

/**
 * Returns an asset to its contributor while the asset window is open, by a transaction that the platform signs and the
 * delivery deposit pays for (design D16).
 */
export async function removeAsset(
  context: TransactionContext,
  { networkId }: ServiceContext,
  input: RemoveAssetInput,
  chain: NetworkState,
): Promise<StartedRemoval> {
  const { tx } = context;
  const { vault, window } = await requireOpenWindow(context, input.caller, input.vaultId, 'asset');
  const asset = await lockAssetRow(tx, input.assetId);
  if (asset?.vaultId !== vault.id) throw new ServiceError('ASSET_NOT_FOUND');
  const onBehalfOf = requireMayRemove(input.caller, asset, vault, mayAdminRemove(asset, window, context.now));
  requireRemovable(asset);

  const returning = {
    kind: 'remove_asset',
    vault,
    window,
    owner: asset.owner,
    depositTransactionId: asset.addTransactionId,
    depositIndex: asset.depositIndex,
  } as const;
  const started = await startDepositReturn(context, { networkId }, returning, chain);
  if (!started) throw new ServiceError('ASSET_ALREADY_LEAVING');
  const { transaction, transactionId } = started;
  await setRemoveTransaction(context, asset.id, transactionId);
  await publishRemoval(context, input, { asset, onBehalfOf, transactionHash: transaction.hash });
  return { transaction, remainingValue: await totalAssetValue(tx, vault) };
}

/** The contributor may remove, and `mayAdmin` the vault's admin; returns the wallet that an API key acts for. */
function requireMayRemove(
  caller: Caller,
  { owner }: Asset,
  { createdBy }: Vault,
  mayAdmin: boolean,
): string | undefined {
  return requireMayActFor(caller, mayAdmin && caller.wallet === createdBy ? createdBy : owner);
}

function requireRemovable({ status, removeTransactionId }: Asset): void {
  if (status === 'RELEASED') throw new ServiceError('ASSET_ALREADY_REMOVED');
  if (removeTransactionId !== null) throw new ServiceError('ASSET_ALREADY_LEAVING');
  if (status === 'PENDING') throw new ServiceError('ASSET_NOT_LOCKED');
}

interface Removal {
  readonly asset: Asset;
  readonly onBehalfOf: string | undefined;
  readonly transactionHash: string;
}

async function publishRemoval(
  context: TransactionContext,
  { caller, correlationId }: RemoveAssetInput,
  { asset, onBehalfOf, transactionHash }: Removal,
): Promise<void> {
  const { id: assetId, vaultId, owner, policyId, assetName } = asset;
  await publishAction(context, {
    action: 'ASSET_REMOVE_STARTED',
    vaultId,
    actor: owner,
    transactionHash,
    eventData: { assetId, policyId, assetName },
    resource: { type: 'asset', id: assetId },
    metadata: { vaultId, transactionHash },
    caller,
    onBehalfOf,
    correlationId,
  });
}
