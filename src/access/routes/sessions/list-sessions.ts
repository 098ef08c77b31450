import { z } from 'zod';
import { requireSession } from '../../session.ts';
import { listSessions } from '../../queries/sessions.ts';
import { ok } from '../../../platform/http/route-response.ts';
import { EnvelopedPage, envelopedPage } from '../../../platform/http/envelope.ts';
import { pageOf, pageQuery, paginationOf } from '../../../platform/http/paging.ts';
import { presentSession, SessionResource } from './response.ts';
import { route } from './define-session-route.ts';

export const listSessionsRoute = route({
  method: 'get',
  path: '/auth/sessions',
  operationId: 'listSessions',
  summary: 'List the sessions of the wallet that is logged in',
  description: '`current` marks the session of this request.',
  success: 'A page of sessions',
  permission: { unrestricted: 'A session reaches only sessions of its own wallet' },
  query: z.strictObject(pageQuery(['createdAt', 'lastUsedAt'])),
  responses: { 200: EnvelopedPage(z.object({ sessions: z.array(SessionResource) })) },
  errors: ['SESSION_REQUIRED'],
  async handle({ query, caller }, { db, wallClock }) {
    const { wallet } = requireSession(caller);
    const now = wallClock.now();
    const { sessions, count } = await listSessions(db, wallet, new Date(now), pageOf(query, 'createdAt:desc'));
    const data = { sessions: sessions.map((session) => presentSession(session, caller)) };
    return ok(envelopedPage(data, paginationOf(query, count), now));
  },
});
