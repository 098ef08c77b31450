import { credentialChannel, parseCredentialChange } from '../store/credential-changes.ts';
import { type Listening, listen } from '../store/notifications.ts';
import type { Authenticator } from './authentication.ts';

/** Lets this process use a key or session that another one changed in its new state at once. */
export function listenToCredentialChanges(
  databaseUrl: string,
  { forget }: Pick<Authenticator, 'forget'>,
  onLost: (error: unknown) => void,
): Listening {
  return listen({
    databaseUrl,
    channel: credentialChannel,
    onMessage: (payload) => {
      forget(parseCredentialChange(payload));
    },
    onListening: () => {
      forget();
    },
    onLost,
  });
}
