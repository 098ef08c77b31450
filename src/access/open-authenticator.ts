import { credentialChannel, parseCredentialChange } from './queries/credential-changes.ts';
import { type Listening, listen } from '../platform/database/notifications.ts';
import { type Authenticator, type AuthenticatorOptions, createAuthenticator } from './authentication.ts';
import type { UnitOfWork } from '../platform/database/unit-of-work.ts';
import { ensureBootstrapKey } from './ensure-api-key.ts';

interface OpenOptions extends AuthenticatorOptions {
  readonly databaseUrl: string;
  readonly unitOfWork: UnitOfWork;
  /** The first ADMIN key. */
  readonly bootstrapAdminKey: string | undefined;
}

/**
 * The authenticator of a process, which hears what other processes change: a key or session is then looked up anew. `onLost` is told
 * when it hears nothing for a while; changes then take effect after five seconds. Stores the bootstrap key.
 */
export async function openAuthenticator(
  { databaseUrl, unitOfWork, bootstrapAdminKey: text, ...options }: OpenOptions,
  onLost: (error: unknown) => void,
): Promise<{ authenticator: Authenticator; credentialChanges: Listening }> {
  const { clock, environment } = options;
  await ensureBootstrapKey({ unitOfWork, clock }, { text, environment });
  const authenticator = createAuthenticator(options);
  const credentialChanges = listen({
    databaseUrl,
    channel: credentialChannel,
    onMessage: (payload) => {
      authenticator.forget(parseCredentialChange(payload));
    },
    onListening: () => {
      authenticator.forget();
    },
    onLost,
  });
  return { authenticator, credentialChanges };
}
