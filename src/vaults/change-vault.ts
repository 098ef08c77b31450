import type { Caller } from '../access/rules.ts';
import type { AnchoredChange, AnchoringContext } from '../anchoring/anchors.ts';
import type { JsonValue } from '../anchoring/facts.ts';
import type { EncryptionContext, AnchoredActionQuota } from '../context.ts';
import { type CallerAction, publishAction, publish } from '../events/publish.ts';
import type { EventData } from '../events/queries/event-data.ts';
import { lockExclusive } from '../platform/database/locks.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { ServiceError } from '../platform/errors.ts';
import { isoText } from '../platform/units/time.ts';
import { printPercentage } from '../platform/units/money.ts';
import type { CustomPrice } from '../prices/rules.ts';
import { countAnchoredAction } from '../proposals/create-proposal.ts';
import { findPlan } from '../settlement/queries/settlements.ts';
import { setAdminEmail, setAllowList, setSettings } from './queries/vault-changes.ts';
import type { Vault } from './queries/vaults.ts';
import { getWindows } from './queries/windows.ts';
import {
  type AllowListChange,
  changedAllowList,
  requireNoFewerInvestors,
  requireNoMorePolicies,
} from './rules/access.ts';
import { type VaultAction, type VaultActionSnapshot, vaultActionRefusal } from './rules/allowed-actions.ts';
import { requireChangeable, type SettingsChange } from './rules/settings.ts';
import { requireMayChange, requireReadableVault } from './require-vault.ts';
import { actionSnapshot } from './read-vaults.ts';

/** Who changes which vault. */
export interface VaultChangeInput {
  readonly vaultId: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

/** A vault that the caller may change, as it is while no one else changes it. */
interface ChangeableVault {
  readonly vault: Vault;
  readonly snapshot: VaultActionSnapshot;
  /** The wallet that acts, or `platform`. */
  readonly actor: string;
  /** The admin, when an API key acts for them. */
  readonly onBehalfOf: string | undefined;
}

/** A vault and what decides which actions on it are open; no change can happen until the transaction ends. */
export async function lockVaultState(
  { tx }: AnchoringContext,
  { vaultId, caller }: VaultChangeInput,
): Promise<Pick<ChangeableVault, 'vault' | 'snapshot'>> {
  await lockExclusive(tx, `vault:${vaultId}`);
  const vault = await requireReadableVault(tx, caller, vaultId);
  const [windows, plan] = [await getWindows(tx, vaultId), await findPlan(tx, vaultId)];
  return { vault, snapshot: { ...actionSnapshot(vault, windows, plan !== null), claimable: null } };
}

/**
 * The vault for a change by its admin or by a caller with permission vault:UPDATE; no other change can happen until the transaction
 * ends. Throws VAULT_NOT_FOUND, INSUFFICIENT_PERMISSIONS and the refusal of the action.
 */
export async function requireChangeableVault(
  context: AnchoringContext,
  input: VaultChangeInput,
  action: VaultAction,
): Promise<ChangeableVault> {
  const { vault, snapshot } = await lockVaultState(context, input);
  const onBehalfOf = requireMayChange(input.caller, vault);
  const refusal = vaultActionRefusal(action, snapshot, context.now);
  if (refusal) throw new ServiceError(refusal);
  return { vault, snapshot, actor: vault.createdBy, onBehalfOf };
}

/** What a change publishes: as a fact on the ledger, as an event, and in the audit log. */
type PublishedChange = ChangeFields &
  {
    [Action in VaultChange]: {
      readonly action: Action;
      /** For the event, the audit log and the fact. */
      readonly data: EventData[Action];
    };
  }[VaultChange];

type VaultChange = 'VAULT_CANCEL_REQUESTED' | 'VAULT_ALLOW_LIST_CHANGED' | 'VAULT_SETTINGS_CHANGED' | 'VAULT_DELETED';

interface ChangeFields {
  /** Names the fact; the words never change, because proofs are made over them. */
  readonly kind: string;
  /** For the fact only, because they can be long. */
  readonly lists?: Readonly<Record<string, JsonValue>>;
}

/** Anchors and publishes a change of a vault, after its rows are written. */
export async function publishVaultChange(
  context: AnchoringContext,
  { vault: { id: vaultId }, actor, onBehalfOf }: Omit<ChangeableVault, 'snapshot'>,
  { caller, correlationId }: VaultChangeInput,
  { action, kind, data, lists }: PublishedChange,
): Promise<AnchoredChange> {
  const factId = context.ids.next();
  const fact = { kind, vaultId, ...data, ...lists, changedAt: isoText(context.now) };
  const transactionHash = await context.anchor({ factId, vaultId, fact });
  const published = {
    action,
    vaultId,
    actor,
    transactionHash,
    eventData: data,
    resource: { type: 'vault', id: vaultId },
    metadata: { ...data, transactionHash },
    caller,
    onBehalfOf,
    correlationId,
  };
  // The object loses that the data belong to the action.
  await publishAction(context, published as CallerAction);
  return { factId, transactionHash };
}

interface ChangeAdminEmail {
  readonly vaultId: string;
  /** Null erases it. */
  readonly email: string | null;
  readonly caller: Caller;
}

/** Replaces or erases the email address of the vault's admin. Nothing else keeps it: neither events nor the audit log name it. */
export async function changeAdminEmail(
  context: TransactionContext,
  { encryption }: EncryptionContext,
  { vaultId, email, caller }: ChangeAdminEmail,
): Promise<void> {
  const vault = await requireReadableVault(context.tx, caller, vaultId);
  const onBehalfOf = requireMayChange(caller, vault);
  const cell = { table: 'vaults', column: 'admin_email', id: vaultId };
  await setAdminEmail(context.tx, vaultId, email === null ? null : encryption.encrypt(email, cell));
  const action = email === null ? 'VAULT_ADMIN_EMAIL_ERASED' : 'VAULT_ADMIN_EMAIL_CHANGED';
  await publish(context, {
    audit: { action, resource: { type: 'vault', id: vaultId }, metadata: {}, caller, onBehalfOf },
  });
}

interface AllowListChanged extends AnchoredChange {
  /** The number of entries after the change. */
  readonly count: number;
}

/** Adds entries to an allow-list of a vault, or removes them; what was already deposited stays (design D39c). */
export async function changeAllowList(
  context: AnchoringContext,
  limit: AnchoredActionQuota,
  input: VaultChangeInput,
  change: AllowListChange,
): Promise<AllowListChanged> {
  const { type, operation } = change;
  const changeable = await requireChangeableVault(context, input, 'changeAllowList');
  await countAnchoredAction(context, limit, { wallet: changeable.vault.createdBy, kind: 'vault_change' });
  const before = listOf(changeable.vault, type);
  const entries = changedAllowList(before, change);
  const listed = { before, after: entries, field: 'addresses' };
  const { assetWindow } = changeable.snapshot;
  if (type === 'INVESTOR') requireNoFewerInvestors(changeable.vault.terms, listed, assetWindow, context.now);
  if (type === 'ASSET') requireNoMorePolicies(listed, assetWindow, context.now);
  await setAllowList(context, input.vaultId, { type, entries });
  const anchored = await publishVaultChange(context, changeable, input, {
    action: 'VAULT_ALLOW_LIST_CHANGED',
    kind: 'allow_list_changed',
    data: { type, operation, count: entries.length },
    lists: { entries: change.entries },
  });
  return { ...anchored, count: entries.length };
}

function listOf({ terms }: Vault, type: AllowListChange['type']): readonly string[] {
  const lists = {
    ASSET: terms.assetWhitelist,
    CONTRIBUTOR: terms.contributorWhitelist,
    INVESTOR: terms.investorWhitelist,
  };
  return lists[type];
}

/** Changes settings of a vault; those that are not given stay (design D39c). */
export async function changeSettings(
  context: AnchoringContext,
  limit: AnchoredActionQuota,
  input: VaultChangeInput,
  change: SettingsChange,
): Promise<AnchoredChange> {
  const changeable = await requireChangeableVault(context, input, 'changeSettings');
  await countAnchoredAction(context, limit, { wallet: changeable.vault.createdBy, kind: 'vault_change' });
  requireChangeable(changeable.vault.terms, change, changeable.snapshot, context.now);
  await setSettings(context, changeable.vault, change);
  const { investorListEnabled, investorWhitelist, valuationType, customPrices, fdp } = change;
  return publishVaultChange(context, changeable, input, {
    action: 'VAULT_SETTINGS_CHANGED',
    kind: 'vault_settings_changed',
    data: {
      ...(investorListEnabled !== undefined && { investorListEnabled }),
      ...(valuationType !== undefined && { valuationType }),
      ...(customPrices !== undefined && { customPrices: customPrices.length }),
      ...(fdp !== undefined && { fdp: printPercentage(fdp) }),
    },
    lists: {
      ...(investorWhitelist && { entries: investorWhitelist }),
      ...(customPrices && { prices: customPrices.map(anchoredPrice) }),
    },
  });
}

function anchoredPrice({ policyId, assetName, lovelace, decimals, maxQuantity }: CustomPrice) {
  return {
    policyId,
    assetNameHex: assetName,
    lovelace: lovelace.toString(),
    decimals,
    maxQuantity: maxQuantity ?? null,
  };
}
