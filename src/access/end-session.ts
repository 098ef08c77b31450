import { ServiceError } from '../platform/errors/errors.ts';
import { recordAudit } from './queries/audit-log.ts';
import { announceCredentialChange } from './queries/credential-changes.ts';
import { deleteSession } from './queries/sessions.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';

interface EndSession {
  /** The wallet of the session. */
  readonly wallet: string;
  readonly sessionId: string;
  /** The key of the request, for the audit log. */
  readonly apiKeyId: string;
}

/** Ends a session of the wallet; its token is invalid from then on. Throws SESSION_NOT_FOUND. */
export async function endSession(
  context: TransactionContext,
  { wallet, sessionId, apiKeyId }: EndSession,
): Promise<void> {
  if (!(await deleteSession(context.tx, wallet, sessionId))) throw new ServiceError('SESSION_NOT_FOUND');
  await announceCredentialChange(context.tx, { kind: 'session', id: sessionId });
  const actor = { id: wallet, type: 'WALLET' } as const;
  const resource = { type: 'session', id: sessionId };
  await recordAudit(context, { action: 'SESSION_ENDED', actor, resource, metadata: { apiKeyId } });
}
