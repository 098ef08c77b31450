import { type Instant } from '../platform/units/instant.ts';
import { hasAdminKey, limitBootstrapKeys } from './queries/api-keys.ts';
import { type AuditEntry, recordAudit } from './queries/audit-log.ts';
import { announceCredentialChange } from './queries/credential-changes.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';

/** A key that is in the configuration, so also in files and histories of shells, is for making the first ADMIN key. */
const BOOTSTRAP_KEY_LIFE_MS = 86_400_000;
/** A key that ends sooner would soon leave nobody who may make keys: those that it makes end with it. */
const LASTING_MS = 30 * 86_400_000;
/** Of `npm start`, whose stack keeps the ADMIN key that it prints. */
const DEVELOPMENT = 'development';

/** When the keys of the configuration are looked at, by wall time, and for whom. */
interface Occasion {
  readonly environment: string;
  readonly now: Instant;
  readonly actor: AuditEntry['actor'];
  /** For the audit log. */
  readonly metadata?: object;
}

/** Lets the ADMIN keys of the configuration end in a day if there is another ADMIN key that lasts; one that ends sooner still does. */
export async function endBootstrapKeys(context: TransactionContext, occasion: Occasion): Promise<void> {
  const { environment, now, actor, metadata } = occasion;
  if (environment === DEVELOPMENT) return;
  const lasting = { environment, at: new Date(now), until: new Date(now + LASTING_MS) };
  if (!(await hasAdminKey(context.tx, lasting))) return;
  const end = new Date(now + BOOTSTRAP_KEY_LIFE_MS);
  for (const id of await limitBootstrapKeys(context.tx, end)) {
    await announceCredentialChange(context.tx, { kind: 'key', id });
    const [action, resource] = ['BOOTSTRAP_KEY_LIMITED', { type: 'apiKey', id }];
    await recordAudit(context, { action, actor, resource, metadata: { expiresAt: end.toISOString(), ...metadata } });
  }
}
