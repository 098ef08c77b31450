import type { Clock } from '../domain/units/clock.ts';
import { bootstrapMaker, findApiKey, insertApiKey } from '../store/api-keys.ts';
import { recordAudit } from '../store/audit-log.ts';
import type { UnitOfWork } from '../store/unit-of-work.ts';
import { hashSecret, parseApiKey } from './api-key-format.ts';

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
export async function ensureApiKey(
  { unitOfWork, clock }: EnsureContext,
  { text, name, ...grants }: ConfiguredKey,
): Promise<void> {
  const parts = parseApiKey(text);
  if (!parts) throw new Error(`the ${name} key must look like vts_<env>_<id>_<secret>`);
  const { id, environment } = parts;
  const secretHash = hashSecret(parts.secret);
  const key = {
    id,
    environment,
    name,
    secretHash,
    ...grants,
    createdBy: bootstrapMaker,
    createdAt: new Date(clock.now()),
  };
  await unitOfWork(async (context) => {
    if (await insertApiKey(context.tx, key)) {
      const [actor, resource] = [{ id: bootstrapMaker, type: 'SYSTEM' } as const, { type: 'apiKey', id }];
      await recordAudit(context, { action: 'API_KEY_CREATED', actor, resource, metadata: { name, ...grants } });
      return;
    }
    const stored = await findApiKey(context.tx, id);
    if (!stored?.secret_hash.equals(secretHash)) throw new Error(`the ${name} key is stored with another secret`);
  });
}
