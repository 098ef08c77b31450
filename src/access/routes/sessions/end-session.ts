import { z } from 'zod';
import { endSession } from '../../end-session.ts';
import { requireSession } from '../../session.ts';
import { noContent } from '../../../platform/http/route-response.ts';
import { ResourceId } from '../../../platform/http/fields.ts';
import { route } from './define-session-route.ts';

export const endSessionRoute = route({
  method: 'delete',
  path: '/auth/sessions/:sessionId',
  operationId: 'endSession',
  summary: 'End a session of the wallet that is logged in',
  description: 'The token of that session is invalid from then on.',
  success: 'The session has ended',
  permission: { unrestricted: 'A session reaches only sessions of its own wallet' },
  params: z.strictObject({ sessionId: ResourceId }),
  responses: { 204: null },
  errors: ['SESSION_REQUIRED', 'SESSION_NOT_FOUND'],
  async handle({ params: { sessionId }, caller, idempotency }, { unitOfWork, authenticator }) {
    const { wallet } = requireSession(caller);
    const response = await unitOfWork((transaction) =>
      idempotency.once(transaction.tx, async () => {
        await endSession(transaction, { wallet, sessionId, apiKeyId: caller.apiKeyId });
        return noContent();
      }),
    );
    authenticator.forget({ kind: 'session', id: sessionId });
    return response;
  },
});
