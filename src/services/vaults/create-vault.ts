import type { Caller } from '../../domain/identity/caller.ts';
import { scriptAddress } from '../../chain/scripts/address.ts';
import type { NetworkState } from '../../chain/ledger/network-state.ts';
import { custodyScript, policyScript, scriptHash, settlementScript } from '../../chain/scripts/native-scripts.ts';
import { slotAt } from '../../chain/ledger/slots.ts';
import { ftUnit } from '../../chain/scripts/tokens.ts';
import { buildVaultCreation } from '../../chain/build/vault-creation.ts';
import type { BuiltTransaction, Utxo } from '../../chain/transaction.ts';
import { parseDuration } from '../../domain/units/duration.ts';
import { ServiceError } from '../../domain/errors.ts';
import { settlementDeadline } from '../../domain/vault/window.ts';
import { recordEvent } from '../../store/events.ts';
import { type Platform, takeVaultKey, type VaultKey } from '../../store/platform.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import type { GovernanceSettings } from '../../store/governance-settings.ts';
import { insertVault, type NewVault } from '../../store/vaults.ts';
import { insertWindows } from '../../store/windows.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { vaultWorkflowId } from '../../temporal/workflow-ids.ts';
import type { ServiceContext } from '../context.ts';
import type { VaultRequest } from '../../http/vaults/request.ts';
import { parseVaultParams, type VaultParams } from '../../http/vaults/parse-vault-params.ts';
import { publish } from '../publish.ts';
import { deadlineBefore } from '../transactions/deadline.ts';
import { buildWithPlatformFunds } from '../transactions/funding-errors.ts';
import { buildAndRecord } from '../transactions/record-transaction.ts';

/** What was fetched before the unit of work. */
export interface CreateVaultPrefetch {
  readonly chain: NetworkState;
  readonly platform: Platform;
  /** Of the operator. */
  readonly utxos: readonly Utxo[];
}

interface Creation {
  readonly request: VaultRequest;
  readonly caller: Caller;
  readonly correlationId: string;
}

export interface CreatedVault {
  readonly vault: NewVault;
  readonly windows: VaultParams['windows'];
  readonly transaction: BuiltTransaction;
}

/**
 * Creates a vault with its keys, scripts, windows and the transaction that mints its NFT, and has its workflow started.
 * Raises INVALID_VAULT_PARAMS and SERVICE_NOT_READY.
 */
export async function createVault(
  work: TransactionContext,
  context: ServiceContext,
  { request, caller, correlationId }: Creation,
  facts: () => CreateVaultPrefetch,
): Promise<CreatedVault> {
  const { tx, now } = work;
  const { ids, networkId, durationBounds: bounds } = context;
  const wishes = parseVaultParams(request, { now, networkId, bounds });
  const id = ids.next();
  const key = await takeVaultKey(tx, id);
  if (!key) throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'vault keys' });

  const { chain, platform, utxos } = facts();
  const vault = newVault({ id, request, wishes, key, chain, work, context });
  await insertVault(tx, vault);
  await insertWindows(tx, id, wishes.windows);
  const ownerWorkflow = vaultWorkflowId(id);
  const deadline = deadlineBefore(vault.settlesBy, now, chain.anchor);
  const purse = { address: platform.operatorAddress, utxos, deadline, anchor: chain.anchor };
  const record = { id: ids.next(), kind: 'create_vault', vaultId: id, ownerWorkflow, signer: 'platform' } as const;
  const payer = { address: platform.operatorAddress, keyHash: platform.operatorKeyHash };
  const { transaction } = await buildAndRecord(work, { ...record, wallet: null }, purse, (free, ttlSlot) =>
    buildWithPlatformFunds(() => buildVaultCreation(chain, vault, { ...payer, utxos: free }, ttlSlot)),
  );

  await enqueueWorkflowMessage(tx, ids, ownerWorkflow, { kind: 'start', workflow: 'vault', vaultId: id });
  const data = { name: vault.name, type: wishes.terms.type, contractAddress: vault.contractAddress };
  const told = { actor: vault.createdBy, transactionHash: transaction.hash, correlationId, data };
  await recordEvent(tx, ids, { type: 'VAULT_CREATED', vaultId: id, ...told }, now);
  const deed = { action: 'VAULT_CREATED', resource: { type: 'vault', id }, caller } as const;
  await publish({ tx, ids, now }, { audit: { ...deed, metadata: { transactionHash: transaction.hash } } });
  return { vault, windows: wishes.windows, transaction };
}

interface Ingredients {
  readonly id: string;
  readonly request: VaultRequest;
  readonly wishes: VaultParams;
  readonly key: VaultKey;
  readonly chain: NetworkState;
  readonly work: TransactionContext;
  readonly context: ServiceContext;
}

function newVault({ id, request, wishes, key, chain, work, context }: Ingredients): NewVault {
  const { vaultKeyHash, policyKeyHash } = key;
  const { cosigners, windows } = wishes;
  const settlesBy = settlementDeadline(windows);
  const settlesBySlot = slotAt(chain.anchor, settlesBy);
  const policyId = scriptHash(policyScript({ policyKeyHash, deadlineSlot: settlesBySlot }));
  const custody = custodyScript({ vaultKeyHash, ...(cosigners && { cosigners }) });
  const { email } = request.admin_user;
  return {
    id,
    name: request.vault_name,
    terms: wishes.terms,
    createdBy: wishes.createdBy,
    adminEmail: email ? context.encryption.encrypt(email, { table: 'vaults', column: 'admin_email', id }) : null,
    metadata: { custom: request.metadata, governance: governanceOf(request) },
    vaultKeyHash,
    policyKeyHash,
    cosigners,
    contractAddress: scriptAddress(custody, context.networkId),
    settlementAddress: scriptAddress(settlementScript({ vaultKeyHash }), context.networkId),
    policyId,
    ftUnit: ftUnit(policyId, tokenNameHex(request.vault_name)),
    settlesBy,
    settlesBySlot,
    createdAt: work.now,
  };
}

/** The token's name is the vault's, cut to the 28 bytes its label leaves. */
function tokenNameHex(vaultName: string): string {
  let kept = '';
  for (const character of vaultName) {
    if (Buffer.byteLength(kept + character) > 28) break;
    kept += character;
  }
  return Buffer.from(kept).toString('hex');
}

/** Governance fields beyond the thresholds, durations in seconds; kept only where they were given. */
function governanceOf({ governance_settings: settings }: VaultRequest): GovernanceSettings {
  const given = {
    votingSeconds: secondsOf(settings.voting_duration),
    lockSeconds: secondsOf(settings.lock_duration),
    executionSeconds: secondsOf(settings.execution_duration),
    requiredCosigners: settings.required_cosigners,
    stakingAddresses: settings.staking_addresses,
  };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function secondsOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text);
}
