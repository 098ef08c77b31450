import { requirePlatform } from '../access/acting-wallet.ts';
import { type Caller, mayActFor } from '../access/rules.ts';
import { buildWithPlatformFunds } from '../cardano/build/funding.ts';
import { buildVaultCreation } from '../cardano/build/settlement.ts';
import { type Deadline, deadlineBefore, platformTtlSlot } from '../cardano/ledger/http.ts';
import type { NetworkState } from '../cardano/ledger/network-state.ts';
import { type SlotAnchor, slotAt } from '../cardano/ledger/slots.ts';
import { scriptAddress } from '../cardano/scripts/address.ts';
import { scriptHash } from '../cardano/scripts/native-script.ts';
import { custodyAddressOf } from '../cardano/scripts/script-addresses.ts';
import { policyScript, settlementScript } from '../cardano/scripts/vault-scripts.ts';
import type { BuiltTransaction, Utxo } from '../cardano/transaction.ts';
import type { EncryptionContext, AnchoredActionQuota, ServiceContext } from '../context.ts';
import { publishAction } from '../events/publish.ts';
import { buildWithOperatorFunds } from '../operations/operator-funds.ts';
import type { Platform } from '../operations/queries.ts';
import { requireNotPaused } from '../operations/require-not-paused.ts';
import { lockExclusive } from '../platform/database/locks.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { fieldError, ServiceError } from '../platform/errors.ts';
import type { Prepared } from '../platform/temporal/activity-types.ts';
import { vaultWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import type { Instant } from '../platform/units/time.ts';
import { anchoredActionLock, countAnchoredAction } from '../proposals/create-proposal.ts';
import type { GovernanceSettings } from '../proposals/queries/anchored-actions.ts';
import { requireOthersThanOperator } from '../termination/rules/pot.ts';
import { liveTransaction, recordPlatformTransaction } from '../transactions/platform-transactions.ts';
import { vaultTransactions } from '../transactions/queries/listed-transactions.ts';
import { buildAndRecord } from '../transactions/record-transaction.ts';
import type { Cosigners } from '../transactions/rules.ts';
import { setPolicyId } from './queries/vault-changes.ts';
import { assignVaultKey, insertVault, type NewVault, type VaultKey, getVault } from './queries/vaults.ts';
import { insertWindows } from './queries/windows.ts';
import { cosignersAloneFrom, type RegisteredCosigners, type VaultTerms } from './rules/vault.ts';
import { settlementDeadline, type Span, type WindowKind } from './rules/window.ts';
import type { WorkerContext } from '../worker-context.ts';

/** What `createVault` needs from outside the unit of work. */
interface CreateVaultPrefetch {
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

/** Creates a vault with its keys, scripts and windows, records the transaction that mints its NFT, and starts its workflow. */
export async function createVault(
  context: TransactionContext,
  service: Pick<ServiceContext, 'networkId' | 'tokenMetadata'> & EncryptionContext & AnchoredActionQuota,
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
  // Vaults of one wallet that are created at once wait for each other: nobody else's change waits in this transaction.
  await lockExclusive(tx, anchoredActionLock('vault_creation', creator));
  await countAnchoredAction(context, service, { wallet: creator, kind: 'vault_creation' });
  await insertVault(tx, vault);
  await insertWindows(tx, id, params.windows);
  const transaction = await recordCreation(context, { vault, deadline, image: service.tokenMetadata.image }, prefetch);
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
  throw fieldError(
    'INVALID_VAULT_PARAMS',
    'governance_settings.cosigners',
    'The wallet of the platform cannot cosign.',
  );
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

/** What the creator of a vault decides. */
export interface VaultParams {
  readonly name: string;
  /** Wallet address of the admin. */
  readonly createdBy: string;
  readonly adminEmail: string | null;
  readonly terms: VaultTerms;
  readonly windows: Record<WindowKind, Span>;
  readonly cosigners: Cosigners | null;
  readonly governance: GovernanceSettings;
  /** Free-form data of the creator. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface NewVaultInput {
  readonly id: string;
  readonly params: VaultParams;
  readonly key: VaultKey;
  readonly anchor: SlotAnchor;
  /** The first slot in which the creation transaction can no longer be confirmed. */
  readonly creationTtlSlot: number;
  readonly now: Instant;
}

/** The row of a new vault, with its script addresses and the policy of its NFT. Encrypts the admin's email. */
function newVault(
  { id, params, key, anchor, creationTtlSlot, now }: NewVaultInput,
  { networkId, encryption }: Pick<ServiceContext, 'networkId'> & EncryptionContext,
): NewVault {
  const { vaultKeyHash, policyKeyHash } = key;
  const { name, adminEmail } = params;
  const settlesBy = settlementDeadline(params.windows);
  const settlesBySlot = slotAt(anchor, settlesBy);
  const policyId = scriptHash(policyScript({ policyKeyHash, deadlineSlot: creationTtlSlot }));
  const cosigners = registeredCosigners(params, settlesBy, anchor);
  return {
    id,
    name,
    terms: params.terms,
    createdBy: params.createdBy,
    adminEmail: adminEmail ? encryption.encrypt(adminEmail, { table: 'vaults', column: 'admin_email', id }) : null,
    metadata: { custom: params.metadata, governance: params.governance },
    vaultKeyHash,
    policyKeyHash,
    cosigners,
    contractAddress: custodyAddressOf({ vaultKeyHash, cosigners }, networkId).address,
    settlementAddress: scriptAddress(settlementScript({ vaultKeyHash }), networkId),
    policyId,
    // The token has a policy of its own, which its mint decides (design D43).
    ftUnit: null,
    settlesBy,
    settlesBySlot,
    createdAt: now,
  };
}

/** The cosigners of a new vault, with the date from which on they need no key of it. */
function registeredCosigners(
  { cosigners, terms }: VaultParams,
  settlesBy: Instant,
  anchor: SlotAnchor,
): RegisteredCosigners | null {
  if (!cosigners) return null;
  const from = cosignersAloneFrom(settlesBy, terms.termination);
  return { ...cosigners, alone: { from, fromSlot: slotAt(anchor, from) } };
}

/**
 * Builds and records a vault's creation transaction again after the one the api built has expired; null when the vault has
 * failed, or when it could not be confirmed before T.
 */
export async function prepareCreation(
  context: WorkerContext,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<Prepared | null> {
  const live = await liveTransaction(context, vaultId, 'create_vault');
  if (live) return { transactionId: live.id };
  const vault = await getVault(context.db, vaultId);
  if (vault.failedBecause !== null || now >= vault.settlesBy) return null;
  const chain = await context.networkState();
  const ttlSlot = platformTtlSlot(chain.anchor, now, vault.settlesBy);
  if (ttlSlot === null) return null;
  const replaced = await vaultTransactions(context.db, vaultId, ['create_vault']);
  const built = await buildWithOperatorFunds(context, 'create_vault', replaced, (operator) =>
    buildVaultCreation(chain, vault, { operator, image: context.tokenMetadata.image, ttlSlot }),
  );
  const { policyKeyHash } = vault;
  const policyId = scriptHash(policyScript({ policyKeyHash, deadlineSlot: ttlSlot }));
  const record = { kind: 'create_vault', vault, built, anchor: chain.anchor, now } as const;
  return recordPlatformTransaction(context, record, (tx) => setPolicyId(tx, vaultId, policyId));
}
