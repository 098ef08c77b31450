import { actingFor, type Caller, mayActOnBehalf } from '../domain/identity/caller.ts';
import { parseWalletAddress, type WalletAddress } from '../chain/scripts/address.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Ids } from '../domain/units/ids.ts';
import type { Instant } from '../domain/units/instant.ts';
import { type AuditEntry, recordAudits } from '../store/audit-log.ts';
import type { Db, Transaction } from '../store/database.ts';
import { findPlatform, type Platform } from '../store/platform.ts';
import type { ServiceContext } from './context.ts';

/** Whose wallet an operation moves: one that signs itself, or the platform's own. */
export interface Actor extends WalletAddress {
  readonly signer: 'wallet' | 'platform';
  /** The wallet again when a key spoke for it, which the audit log tells. */
  readonly onBehalfOf: string | undefined;
}

/**
 * The wallet `caller` acts for: the one named in `field`, else that of its session, else the platform's own (design D17, D18).
 * Raises INVALID_ADDRESS, WRONG_NETWORK, INSUFFICIENT_PERMISSIONS and SERVICE_NOT_READY.
 */
export async function actorOf(
  { db, networkId }: Pick<ServiceContext, 'db' | 'networkId'>,
  caller: Caller,
  named: string | undefined,
  field: string,
): Promise<Actor> {
  const wallet = named ?? caller.wallet;
  if (wallet === null) return platformActor(db, caller);
  const parsed = parseWalletAddress(wallet, networkId, field);
  return { ...parsed, signer: 'wallet', onBehalfOf: actingFor(caller, parsed.address) };
}

/** The platform's addresses; raises SERVICE_NOT_READY until a worker has published them. */
export async function requirePlatform(db: Db | Transaction): Promise<Platform> {
  const platform = await findPlatform(db);
  if (!platform) throw new ServiceError('SERVICE_NOT_READY', { waitingFor: 'worker' });
  return platform;
}

async function platformActor(db: Db, caller: Caller): Promise<Actor> {
  if (!mayActOnBehalf(caller)) {
    throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
      required: 'session of a wallet, or permission wallet:UPDATE',
    });
  }
  const { operatorAddress: address, operatorKeyHash: paymentKeyHash } = await requirePlatform(db);
  return { address, paymentKeyHash, signer: 'platform', onBehalfOf: address };
}

interface Deed extends Pick<AuditEntry, 'action' | 'resource' | 'metadata'> {
  readonly caller: Caller;
  /** Set when a key spoke for this wallet. */
  readonly onBehalfOf?: string | undefined;
}

/** Writes who did what into the audit log. */
export async function audit(tx: Transaction, ids: Ids, deed: Deed, now: Instant): Promise<void> {
  await auditAll(tx, ids, [deed], now);
}

/** As `audit`, for many deeds at once. */
export async function auditAll(tx: Transaction, ids: Ids, deeds: readonly Deed[], now: Instant): Promise<void> {
  await recordAudits(tx, ids, deeds.map(entryOf), now);
}

function entryOf({ caller, onBehalfOf, ...entry }: Deed): AuditEntry {
  // It is the key that speaks for another wallet, whoever is logged in beside it.
  const actor =
    caller.wallet === null || onBehalfOf !== undefined
      ? ({ id: caller.apiKeyId, type: 'API_KEY' } as const)
      : ({ id: caller.wallet, type: 'WALLET' } as const);
  const metadata = onBehalfOf === undefined ? entry.metadata : { ...entry.metadata, onBehalfOf };
  return { ...entry, actor, metadata };
}
