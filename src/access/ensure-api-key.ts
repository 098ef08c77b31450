import type { Clock } from '../platform/units/clock.ts';
import type { Instant } from '../platform/units/instant.ts';
import { bootstrapMaker, findApiKey, insertApiKey } from './queries/api-keys.ts';
import { recordAudit } from './queries/audit-log.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import type { UnitOfWork } from '../platform/database/unit-of-work.ts';
import { hashSecret, parseApiKey } from './api-key-format.ts';
import { endBootstrapKeys } from './bootstrap-keys.ts';

/** An API key from the configuration. */
interface ConfiguredKey {
  readonly text: string;
  readonly name: string;
  readonly roles: readonly string[];
  /** Requests per window of the rate limiter; the default of its roles when absent. */
  readonly rateLimit?: number;
}

interface EnsureContext {
  readonly unitOfWork: UnitOfWork;
  /** Keys live by wall time. */
  readonly clock: Clock;
}

/** Stores the key unless it is stored. Throws an Error when its text is no key, or when its id is stored with another secret. */
export async function ensureApiKey({ unitOfWork, clock }: EnsureContext, key: ConfiguredKey): Promise<void> {
  await unitOfWork((context) => storeKey(context, key, clock.now()));
}

/**
 * Stores the ADMIN key of the configuration, if there is one, as `ensureApiKey` does. Each start looks again whether those of before and this one
 * are still needed: they end in a day once there is another ADMIN key.
 */
export async function ensureBootstrapKey(
  { unitOfWork, clock }: EnsureContext,
  { text, environment }: { readonly text: string | undefined; readonly environment: string },
): Promise<void> {
  const now = clock.now();
  await unitOfWork(async (context) => {
    if (text !== undefined) await storeKey(context, { text, name: 'bootstrap admin', roles: ['ADMIN'] }, now);
    await endBootstrapKeys(context, { environment, now, actor });
  });
}

const actor = { id: bootstrapMaker, type: 'SYSTEM' } as const;

async function storeKey(context: TransactionContext, key: ConfiguredKey, now: Instant): Promise<void> {
  const { text, name, ...grants } = key;
  const parts = parseApiKey(text);
  if (!parts) throw new Error(`the ${name} key must look like vts_<env>_<id>_<secret>`);
  const { id, environment } = parts;
  const secretHash = hashSecret(parts.secret);
  const made = { createdBy: bootstrapMaker, createdAt: new Date(now) };
  if (await insertApiKey(context.tx, { id, environment, name, secretHash, ...grants, ...made })) {
    const resource = { type: 'apiKey', id };
    await recordAudit(context, { action: 'API_KEY_CREATED', actor, resource, metadata: { name, ...grants } });
    return;
  }
  const stored = await findApiKey(context.tx, id);
  if (!stored?.secret_hash.equals(secretHash)) throw new Error(`the ${name} key is stored with another secret`);
}
