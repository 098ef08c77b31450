import type { Caller } from '../../domain/identity/caller.ts';
import type { Encrypted } from '../../store/encryption.ts';
import { countEntitlements } from '../../store/entitlements.ts';
import { findPlan, type PlanFigures } from '../../store/settlements.ts';
import { type TransactionSummary, transactionSummaries } from '../../store/vault-transactions.ts';
import type { ServiceContext } from '../context.ts';
import { requireReadableVault } from './vault-access.ts';
import { type VaultView, viewVault } from './vault-view.ts';

/** A stored settlement plan and the number of its entitlements. */
export interface PlannedSettlement {
  readonly plan: PlanFigures;
  readonly entitlementCount: number;
}

/** A vault with its settlement plan and its transactions. */
export interface VaultDetail {
  readonly view: VaultView;
  /** Null until the settlement is planned. */
  readonly settlement: PlannedSettlement | null;
  readonly transactions: readonly TransactionSummary[];
  /** Only for the role ADMIN; null when the creator gave none. */
  readonly adminEmail?: string | null;
}

/** A vault makes hundreds of transactions when it settles; all of those fit, and the newest others. */
export const MAX_TRANSACTIONS = 1000;

/** A vault that the caller may read, as it is now. Throws VAULT_NOT_FOUND. */
export async function readVault(
  context: Pick<ServiceContext, 'db' | 'readingTime' | 'encryption'>,
  caller: Caller,
  vaultId: string,
): Promise<VaultDetail> {
  const { db, readingTime } = context;
  const vault = await requireReadableVault(context, caller, vaultId);
  const now = await readingTime();
  const [view, transactions] = await Promise.all([
    viewVault(db, vault, { caller, now }),
    transactionSummaries(db, vault.id, MAX_TRANSACTIONS),
  ]);
  return {
    view,
    settlement: await readSettlement(context, view),
    transactions,
    ...(caller.roles.includes('ADMIN') && { adminEmail: decryptAdminEmail(context, view) }),
  };
}

async function readSettlement(
  { db }: Pick<ServiceContext, 'db'>,
  { vault, settlementPlannedAt }: VaultView,
): Promise<PlannedSettlement | null> {
  if (settlementPlannedAt === null) return null;
  const [plan, entitlementCount] = await Promise.all([findPlan(db, vault.id), countEntitlements(db, vault.id)]);
  return plan && { plan, entitlementCount };
}

function decryptAdminEmail(
  { encryption }: Pick<ServiceContext, 'encryption'>,
  { vault: { id, adminEmail } }: VaultView,
): string | null {
  if (adminEmail === null) return null;
  return encryption.decrypt(adminEmail as Encrypted, { table: 'vaults', column: 'admin_email', id });
}
