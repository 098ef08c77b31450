import { z } from 'zod';
import type { Caller } from '../../rules/caller.ts';
import { isoText } from '../../../platform/units/instant.ts';
import type { Session } from '../../queries/sessions.ts';
import { exampleWallet } from '../../../transactions/routes/example-wallet.ts';
import { Timestamp } from '../../../platform/http/fields.ts';

export const SessionResource = z
  .object({
    id: z.uuid(),
    address: z.string().describe('Address of the wallet that is logged in'),
    createdAt: Timestamp,
    lastUsedAt: Timestamp.describe('Updated at most once a minute'),
    expiresAt: Timestamp.describe('When the session ends if it is not used again'),
    endsAt: Timestamp.describe('When the session ends even if it is in use'),
    current: z.boolean().describe('Whether this request uses the session'),
  })
  .meta({
    id: 'Session',
    examples: [
      {
        id: '01a1ffab-81a0-71d7-bc2f-7ad9c92e5fb2',
        address: exampleWallet,
        createdAt: '2026-11-21T19:53:12.351Z',
        lastUsedAt: '2026-11-21T19:54:18.786Z',
        expiresAt: '2026-11-21T20:54:18.786Z',
        endsAt: '2026-11-22T07:53:12.351Z',
        current: true,
      },
    ],
  });

export function presentSession(
  { id, wallet, createdAt, lastUsedAt, expiresAt, endsAt }: Session,
  caller: Caller,
): z.input<typeof SessionResource> {
  return {
    id,
    address: wallet,
    createdAt: isoText(createdAt),
    lastUsedAt: isoText(lastUsedAt),
    expiresAt: isoText(expiresAt),
    endsAt: isoText(endsAt),
    current: id === caller.sessionId,
  };
}
