import { createNonceRoute } from './create-nonce.ts';
import { createSessionRoute } from './create-session.ts';
import { endCurrentSessionRoute } from './end-current-session.ts';
import { endSessionRoute } from './end-session.ts';
import { listSessionsRoute } from './list-sessions.ts';

export const sessionRoutes = [
  createNonceRoute,
  createSessionRoute,
  listSessionsRoute,
  endCurrentSessionRoute,
  endSessionRoute,
];
