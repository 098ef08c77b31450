import { type SlotAnchor, slotAt } from '../cardano/ledger/slots.ts';
import { custodyAddressOf } from '../cardano/scripts/script-addresses.ts';
import { atField, fieldError, ServiceError } from '../platform/errors/errors.ts';
import type { Caller } from '../access/rules/caller.ts';
import { cosignersAloneAfterRotation, rotationRefusal, rotationStart } from './rules/rotation.ts';
import type { Cosigners } from '../transactions/rules/signatures.ts';
import { type Instant, isoText } from '../platform/units/instant.ts';
import type { RegisteredCosigners } from '../vaults/rules/registered-cosigners.ts';
import type { VaultCustody } from '../vaults/rules/vault-custody.ts';
import type { Transaction } from '../platform/database/database.ts';
import { insertRotation } from './queries/rotation-changes.ts';
import { countRotations } from './queries/rotations.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { assignVaultKey } from '../vaults/queries/vault-keys.ts';
import { lockVaultRow, type Vault } from '../vaults/queries/vaults.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { rotationWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { requirePlatform } from '../access/actor.ts';
import type { ServiceContext } from '../context.ts';
import { publishAction } from '../events/publish.ts';
import { requireReadableVault } from '../vaults/vault-access.ts';
import { type RequestedCosigners, requireAgreedCosigners } from './agreed-cosigners.ts';

/** What an operator asks for. */
export interface RotationRequest {
  readonly vaultId: string;
  readonly reason: string;
  /** Whether a key is compromised, so that holders get no notice. */
  readonly isUrgent: boolean;
  readonly newKey: boolean;
  /** Null to keep those that the vault has. */
  readonly cosigners: RequestedCosigners | null;
}

interface AnnounceRotation extends RotationRequest {
  readonly caller: Caller;
  readonly correlationId: string;
}

/**
 * Announces that a settled vault is to have another key, other cosigners, or both, and starts the workflow that waits for the date and
 * moves what the vault has. Where it moves follows from the key and the cosigners alone. Throws VAULT_NOT_FOUND, what `rotationRefusal`
 * returns and `requireAgreedCosigners` throws, and SERVICE_NOT_READY while no key is free.
 */
export async function announceRotation(
  context: TransactionContext,
  { networkId }: Pick<ServiceContext, 'networkId'>,
  request: AnnounceRotation,
  slots: SlotAnchor,
): Promise<string> {
  const { tx, now } = context;
  const { vaultId, isUrgent, reason } = request;
  await requireReadableVault({ db: tx }, request.caller, vaultId);
  const vault = await lockVaultRow(tx, vaultId);
  requireRotatable(vault, request.cosigners !== null);
  const agreed = request.cosigners && (await agreedCosigners(tx, vault, request.cosigners, networkId));
  const guard = {
    vaultKeyHash: request.newKey ? await newKeyOf(context, vaultId) : vault.vaultKeyHash,
    cosigners: guardingCosigners(agreed?.cosigners ?? vault.cosigners, vault, now, slots),
  };
  const target: VaultCustody = { ...guard, contractAddress: custodyAddressOf(guard, networkId).address };
  const id = context.ids.next();
  const startsAt = rotationStart(now, { isUrgent });
  const agreements = agreed?.agreements ?? null;
  await insertRotation(context, { id, vaultId, reason, isUrgent, target, agreements, startsAt });
  await enqueueWorkflowMessage(context, rotationWorkflowId(id), {
    kind: 'start',
    workflow: 'rotation',
    rotationId: id,
    vaultId,
  });
  await publishAnnouncement(context, request, { id, startsAt, target });
  return id;
}

function requireRotatable(vault: Vault, changesCosigners: boolean): void {
  const refusal = rotationRefusal(vault, changesCosigners);
  if (refusal === undefined) return;
  const error = new ServiceError(refusal);
  throw refusal === 'VAULT_WITHOUT_COSIGNERS' ? atField(error, 'cosigners') : error;
}

async function agreedCosigners(
  tx: Transaction,
  vault: Vault,
  requested: RequestedCosigners,
  networkId: ServiceContext['networkId'],
) {
  const { operatorKeyHash } = await requirePlatform(tx);
  const rotations = await countRotations(tx, vault.id);
  const agreed = requireAgreedCosigners(requested, { vault, rotations }, networkId);
  if (agreed.cosigners.keyHashes.includes(operatorKeyHash))
    throw fieldError('INVALID_REQUEST', 'cosigners', 'The platform cannot cosign');
  return agreed;
}

async function newKeyOf({ tx }: TransactionContext, vaultId: string): Promise<string> {
  const key = await assignVaultKey(tx, vaultId);
  if (!key) throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'vault keys' });
  return key.vaultKeyHash;
}

function guardingCosigners(
  cosigners: Cosigners | null,
  vault: Vault,
  now: Instant,
  slots: SlotAnchor,
): RegisteredCosigners | null {
  if (!cosigners) return null;
  const { required, keyHashes } = cosigners;
  const from = cosignersAloneAfterRotation(now, vault);
  const present = vault.cosigners?.alone;
  // Soon after the settlement the date of before may be later: it counts from T.
  const alone = present && present.from >= from ? present : { from, fromSlot: slotAt(slots, from) };
  return { required, keyHashes, alone };
}

async function publishAnnouncement(
  context: TransactionContext,
  { vaultId, reason, isUrgent, caller, correlationId }: AnnounceRotation,
  { id, startsAt, target }: { readonly id: string; readonly startsAt: Instant; readonly target: VaultCustody },
): Promise<void> {
  const { contractAddress } = target;
  const eventData = { rotationId: id, reason, compromised: isUrgent, startsAt: isoText(startsAt), contractAddress };
  await publishAction(context, {
    action: 'ROTATION_ANNOUNCED',
    vaultId,
    actor: 'platform',
    transactionHash: null,
    eventData,
    resource: { type: 'vault', id: vaultId },
    metadata: { ...eventData, vaultKeyHash: target.vaultKeyHash, cosigners: target.cosigners?.keyHashes ?? [] },
    caller,
    correlationId,
  });
}
