import { endSession } from '../../end-session.ts';
import { requireSession } from '../../session.ts';
import { noContent } from '../../../platform/http/route-response.ts';
import { route } from './define-session-route.ts';

export const endCurrentSessionRoute = route({
  method: 'delete',
  path: '/auth/sessions',
  operationId: 'endCurrentSession',
  summary: 'Log out',
  description: 'The token of the session is invalid from then on.',
  success: 'The session has ended',
  permission: { unrestricted: 'A session may always end itself' },
  // A repeated request has no session any more and is refused before its key is read.
  idempotent: false,
  responses: { 204: null },
  errors: ['SESSION_REQUIRED', 'SESSION_NOT_FOUND'],
  async handle({ caller }, { unitOfWork, authenticator }) {
    const { wallet, sessionId } = requireSession(caller);
    await unitOfWork((transaction) => endSession(transaction, { wallet, sessionId, apiKeyId: caller.apiKeyId }));
    authenticator.forget({ kind: 'session', id: sessionId });
    return noContent();
  },
});
