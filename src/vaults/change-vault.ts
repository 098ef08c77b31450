import type { AnchoredChange, AnchoringContext } from '../anchoring/anchors.ts';
import type { JsonValue } from '../anchoring/facts.ts';
import type { Caller } from '../access/rules/caller.ts';
import { ServiceError } from '../platform/errors/errors.ts';
import { type VaultAction, type VaultActionSnapshot, vaultActionRefusal } from './rules/allowed-actions.ts';
import { isoText } from '../platform/units/instant.ts';
import type { EventData } from '../events/queries/event-data/event-data.ts';
import { closeFence } from '../platform/database/fences.ts';
import { findPlan } from '../settlement/queries/settlements.ts';
import type { Vault } from './queries/vaults.ts';
import { getWindows } from './queries/windows.ts';
import { type CallerAction, publishAction } from '../events/publish.ts';
import { requireMayChange, requireReadableVault } from './vault-access.ts';
import { actionSnapshot } from './vault-view.ts';

/** Who changes which vault. */
export interface VaultChangeInput {
  readonly vaultId: string;
  readonly caller: Caller;
  readonly correlationId: string;
}

/** A vault that the caller may change, as it is while no one else changes it. */
export interface ChangeableVault {
  readonly vault: Vault;
  readonly snapshot: VaultActionSnapshot;
  /** The wallet that acts, or `platform`. */
  readonly actor: string;
  /** The admin, when an API key acts for them. */
  readonly onBehalfOf: string | undefined;
}

/** A vault and what decides which actions on it are open; no change can happen until the transaction ends. Throws VAULT_NOT_FOUND. */
export async function lockVaultState(
  { tx }: AnchoringContext,
  { vaultId, caller }: VaultChangeInput,
): Promise<Pick<ChangeableVault, 'vault' | 'snapshot'>> {
  await closeFence(tx, `vault:${vaultId}`);
  const vault = await requireReadableVault({ db: tx }, caller, vaultId);
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
