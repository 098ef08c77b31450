import { scriptAddress } from '../cardano/scripts/address.ts';
import { custodyAddressOf } from '../cardano/scripts/script-addresses.ts';
import { policyScript, settlementScript } from '../cardano/scripts/vault-scripts.ts';
import { scriptHash } from '../cardano/scripts/native-script.ts';
import { type SlotAnchor, slotAt } from '../cardano/ledger/slots.ts';
import type { Cosigners } from '../transactions/rules/signatures.ts';
import type { Instant } from '../platform/units/instant.ts';
import { cosignersAloneFrom, type RegisteredCosigners } from './rules/registered-cosigners.ts';
import type { VaultTerms } from './rules/vault.ts';
import { settlementDeadline, type Span, type WindowKind } from './rules/window.ts';
import type { GovernanceSettings } from '../proposals/queries/governance-settings.ts';
import type { VaultKey } from './queries/vault-keys.ts';
import type { NewVault } from './queries/vaults.ts';
import type { EncryptionContext, ServiceContext } from '../context.ts';

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
  /** The first slot in which the creation transaction can no longer land. */
  readonly creationTtlSlot: number;
  readonly now: Instant;
}

/** The row of a new vault, with its script addresses and the policy of its NFT. Encrypts the admin's email. */
export function newVault(
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
