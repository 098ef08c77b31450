import { buildVaultCreation } from '../cardano/build/vault-creation.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import type { BuiltTransaction, Utxo } from '../cardano/transaction.ts';
import { fieldError, ServiceError } from '../platform/errors/errors.ts';
import { requireOthersThanOperator } from '../termination/rules/recipients.ts';
import { settlementDeadline } from './rules/window.ts';
import { type Caller, mayActFor } from '../access/rules/caller.ts';
import type { Platform } from '../operations/queries/operator-identity.ts';
import { assignVaultKey } from './queries/vault-keys.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { insertVault, type NewVault } from './queries/vaults.ts';
import { insertWindows } from './queries/windows.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { requirePlatform } from '../access/actor.ts';
import type { EncryptionContext, FreeActionLimit, ServiceContext } from '../context.ts';
import { countFreeAction } from '../proposals/free-actions.ts';
import { publishAction } from '../events/publish.ts';
import { requireNotPaused } from '../operations/require-not-paused.ts';
import { type Deadline, deadlineBefore } from '../cardano/ledger/deadline.ts';
import { buildWithPlatformFunds } from '../cardano/build/funding.ts';
import { buildAndRecord } from '../transactions/record-transaction.ts';
import { newVault, type VaultParams } from './new-vault.ts';

/** What `createVault` needs from outside the unit of work. */
export interface CreateVaultPrefetch {
  readonly chain: NetworkState;
  readonly platform: Platform;
  /** UTxOs of the operator. */
  readonly utxos: readonly Utxo[];
}

interface CreateVault {
  readonly params: VaultParams;
  readonly caller: Caller;
  readonly correlationId: string;
}

export interface CreatedVault {
  readonly vault: NewVault;
  readonly windows: VaultParams['windows'];
  readonly transaction: BuiltTransaction;
}

/** Fetches what `createVault` needs. Throws OPERATION_PAUSED before it asks the ledger, LEDGER_UNAVAILABLE and SERVICE_NOT_READY. */
export async function prefetchVaultCreation({
  db,
  networkState,
  ledger,
}: Pick<ServiceContext, 'db' | 'networkState' | 'ledger'>): Promise<CreateVaultPrefetch> {
  await requireNotPaused(db, 'creation');
  const [chain, platform] = await Promise.all([networkState(), requirePlatform(db)]);
  return { chain, platform, utxos: await ledger.payingUtxos(platform.operatorAddress) };
}

/**
 * Creates a vault with its keys, scripts and windows, records the transaction that mints its NFT, and starts its workflow.
 * Throws OPERATION_PAUSED, SERVICE_NOT_READY, INVALID_VAULT_PARAMS and FREE_ACTIONS_USED_UP.
 */
export async function createVault(
  context: TransactionContext,
  service: Pick<ServiceContext, 'networkId' | 'tokenLook'> & EncryptionContext & FreeActionLimit,
  { params, caller, correlationId }: CreateVault,
  prefetch: CreateVaultPrefetch,
): Promise<CreatedVault> {
  await requireNotPaused(context.tx, 'creation');
  const { tx, ids, now } = context;
  const id = ids.next();
  const key = await assignVaultKey(tx, id);
  if (!key) throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'vault keys' });

  requireWalletCosigners(params, prefetch.platform);
  const invalid = { code: 'INVALID_VAULT_PARAMS', field: 'termination' } as const;
  requireOthersThanOperator(params.terms.termination, prefetch.platform.operatorAddress, invalid);
  const { anchor } = prefetch.chain;
  const deadline = deadlineBefore(settlementDeadline(params.windows), now, anchor);
  const vault = newVault({ id, params, key, anchor, creationTtlSlot: deadline.ttlSlot, now }, service);
  // A key names any wallet as the admin: it must not use up what the wallet may do, nor do more by naming many.
  const creator = mayActFor(caller, vault.createdBy) ? vault.createdBy : caller.apiKeyId;
  await countFreeAction(context, service, { wallet: creator, kind: 'vault_creation' });
  await insertVault(tx, vault);
  await insertWindows(tx, id, params.windows);
  const transaction = await recordCreation(context, { vault, deadline, image: service.tokenLook.image }, prefetch);
  await enqueueWorkflowMessage({ tx, ids }, vaultWorkflowId(id), { kind: 'start', workflow: 'vault', vaultId: id });

  const transactionHash = transaction.hash;
  await publishAction(context, {
    action: 'VAULT_CREATED',
    vaultId: id,
    actor: vault.createdBy,
    transactionHash,
    eventData: { name: vault.name, type: vault.terms.type, contractAddress: vault.contractAddress },
    resource: { type: 'vault', id },
    metadata: { transactionHash },
    caller,
    correlationId,
  });
  return { vault, windows: params.windows, transaction };
}

/** Throws INVALID_VAULT_PARAMS for a key of the platform, whose signature would approve nothing. */
function requireWalletCosigners({ cosigners }: VaultParams, { operatorKeyHash }: Platform): void {
  if (!cosigners?.keyHashes.includes(operatorKeyHash)) return;
  throw fieldError('INVALID_VAULT_PARAMS', 'governance_settings.cosigners', 'The platform cannot cosign');
}

/** Records the transaction that the operator pays and the workflow of the vault submits. */
async function recordCreation(
  context: TransactionContext,
  { vault, deadline, image }: { vault: NewVault; deadline: Deadline; image: string },
  { chain, platform, utxos }: CreateVaultPrefetch,
): Promise<BuiltTransaction> {
  const { operatorAddress: address, operatorKeyHash: keyHash } = platform;
  const { transaction } = await buildAndRecord(
    context,
    {
      id: context.ids.next(),
      kind: 'create_vault',
      vaultId: vault.id,
      ownerWorkflow: vaultWorkflowId(vault.id),
      signer: 'platform',
      wallet: null,
    },
    { address, utxos, deadline, anchor: chain.anchor },
    (free, ttlSlot) =>
      buildWithPlatformFunds(() => {
        const operator = { address, keyHash, utxos: free };
        return buildVaultCreation(chain, vault, { operator, image, ttlSlot });
      }),
  );
  return transaction;
}
