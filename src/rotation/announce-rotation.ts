import { requirePlatform } from '../access/acting-wallet.ts';
import type { Caller } from '../access/rules.ts';
import { verifyDataSignature } from '../cardano/keys/data-signature.ts';
import { type SlotAnchor, slotAt } from '../cardano/ledger/slots.ts';
import type { WalletAddress } from '../cardano/scripts/address.ts';
import { custodyAddressOf } from '../cardano/scripts/script-addresses.ts';
import type { NetworkId } from '../cardano/transaction.ts';
import type { ServiceContext } from '../context.ts';
import { publishAction } from '../events/publish.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { atField, fieldError, ServiceError } from '../platform/errors.ts';
import { rotationWorkflowId } from '../platform/temporal/workflow-ids.ts';
import { enqueueWorkflowMessage } from '../platform/temporal/workflow-outbox.ts';
import { type Instant, isoText } from '../platform/units/time.ts';
import { insertRotation, countRotations } from './queries.ts';
import {
  cosignersAloneAfterRotation,
  rotationRefusal,
  rotationStart,
  cosignerAgreement,
  isAgreed,
  type SignedAgreement,
} from './rules.ts';
import type { Cosigners } from '../transactions/rules.ts';
import { assignVaultKey, lockVaultRow, type Vault } from '../vaults/queries/vaults.ts';
import type { RegisteredCosigners, VaultCustody } from '../vaults/rules/vault.ts';
import { requireReadableVault } from '../vaults/require-vault.ts';

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
 * moves what the vault has. Where it moves follows from the key and the cosigners alone.
 */
export async function announceRotation(
  context: TransactionContext,
  { networkId }: Pick<ServiceContext, 'networkId'>,
  request: AnnounceRotation,
  slots: SlotAnchor,
): Promise<string> {
  const { tx, now } = context;
  const { vaultId, isUrgent, reason } = request;
  await requireReadableVault(tx, request.caller, vaultId);
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
    throw fieldError('INVALID_REQUEST', 'cosigners', 'The wallet of the platform cannot cosign.');
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

/** A cosigner as a request names them. */
export interface NamedCosigner {
  /** The field of the request. */
  readonly field: string;
  readonly wallet: WalletAddress;
  readonly signature: string | undefined;
  readonly key: string | undefined;
}

/** The cosigners that a vault is to have, each key once, and present ones who leave and agree. */
export interface RequestedCosigners {
  readonly named: readonly NamedCosigner[];
  readonly leaving: readonly NamedCosigner[];
  readonly required: number | undefined;
}

interface AgreedCosigners {
  readonly cosigners: Cosigners;
  readonly agreements: readonly SignedAgreement[];
}

/** A vault whose cosigners are to change, after so many rotations. */
interface ChangingVault {
  readonly vault: Pick<Vault, 'id' | 'contractAddress' | 'cosigners'>;
  readonly rotations: number;
}

/**
 * The cosigners of a request, with what was signed for them. Each new one shows that they have their key, because a key that nobody has
 * would lock the custody, and as many present ones as have to sign agree, because they could not refuse later without leaving the vault
 * where it is.
 */
function requireAgreedCosigners(
  { named, leaving, required: requested }: RequestedCosigners,
  { vault: { id: vaultId, contractAddress, cosigners: present }, rotations }: ChangingVault,
  networkId: NetworkId,
): AgreedCosigners {
  const keyHashes = named.map(({ wallet }) => wallet.paymentKeyHash);
  const cosigners = { required: requested ?? Math.min(present?.required ?? 1, keyHashes.length), keyHashes };
  const text = cosignerAgreement({ vaultId, contractAddress, rotations, cosigners });
  const isPresent = ({ wallet }: NamedCosigner) => present?.keyHashes.includes(wallet.paymentKeyHash) === true;
  const agreeing = [...named, ...leaving].filter((one) => one.signature !== undefined || !isPresent(one));
  const agreements = agreeing.map((one) => requireAgreement(text, one, networkId));
  const agreed = agreeing.map(({ wallet }) => wallet.paymentKeyHash);
  if (isAgreed(present, agreed)) return { cosigners, agreements };
  const message = `At least ${present?.required ?? 0} of the current cosigners must sign this text: ${text}`;
  throw fieldError('INVALID_REQUEST', 'cosigners', message);
}

function requireAgreement(
  payload: string,
  { wallet: { address }, signature = '', key = '', field }: NamedCosigner,
  networkId: NetworkId,
): SignedAgreement {
  const signer = verifyDataSignature({ address, payload, signature, key }, networkId);
  if (typeof signer !== 'string') return { address, signature, key };
  const message = `The wallet has to sign ${payload} (${signer.replaceAll('_', ' ')})`;
  throw fieldError('INVALID_SIGNATURE', `${field}.signature`, message);
}

interface CustodyChange {
  readonly vaultId: string;
  readonly from: VaultCustody;
  readonly to: VaultCustody;
  readonly agreements: readonly SignedAgreement[] | null;
  /** How many rotations were announced before it. */
  readonly rotations: number;
}

/**
 * Why one custody may not follow another; null when it may. Cosigners are neither exchanged without as many of those before as have to sign, nor
 * alone sooner; where there are none, nobody can agree.
 */
export function custodyRefusal(
  { vaultId, from, to, agreements, rotations }: CustodyChange,
  networkId: NetworkId,
): string | null {
  const [before, after] = [from.cosigners, to.cosigners];
  if (before === null && after === null) return null;
  if (before === null || after === null)
    return 'has no cosigners before or after its rotation, so that nobody can agree';
  if (after.alone.fromSlot < before.alone.fromSlot) return 'lets its cosigners be alone sooner';
  const textOf = (some: Cosigners) =>
    cosignerAgreement({ vaultId, contractAddress: from.contractAddress, rotations, cosigners: some });
  const payload = textOf(after);
  if (textOf(before) === payload) return null;
  const signers = (agreements ?? []).map((agreement) => verifyDataSignature({ ...agreement, payload }, networkId));
  const agreed = signers.flatMap((signer) => (typeof signer === 'string' ? [] : [signer.keyHash]));
  return isAgreed(before, agreed) ? null : 'has cosigners to whom too few cosigners of before agree';
}
