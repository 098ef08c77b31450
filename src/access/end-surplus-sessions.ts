import type { Instant } from '../platform/units/instant.ts';
import { closeFence } from '../platform/database/fences.ts';
import { leastRecentSessions } from './queries/sessions.ts';
import type { TransactionContext } from '../platform/database/transaction-context.ts';
import { endSession } from './end-session.ts';

/** Live ones of a wallet. */
const MAX_SESSIONS = 20;

interface Login {
  readonly wallet: string;
  readonly now: Instant;
  /** The key of the request, for the audit log. */
  readonly apiKeyId: string;
}

/**
 * Makes room for one more session of a wallet: ends those that were used the longest ago, and returns their ids. Logins of one wallet
 * take turns, so none of them misses the session of another.
 */
export async function endSurplusSessions(
  transaction: TransactionContext,
  { wallet, now, apiKeyId }: Login,
): Promise<readonly string[]> {
  await closeFence(transaction.tx, `sessions:${wallet}`);
  const surplus = await leastRecentSessions(transaction.tx, wallet, new Date(now), MAX_SESSIONS - 1);
  for (const sessionId of surplus) await endSession(transaction, { wallet, sessionId, apiKeyId });
  return surplus;
}
