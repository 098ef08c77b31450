import { z } from 'zod';
import { announcementKinds } from '../../rules/announcement.ts';
import { isoText } from '../../../platform/units/instant.ts';
import type { Announcement } from '../../queries/announcements.ts';
import { enumSchema } from '../../../platform/http/enums.ts';
import { Timestamp, VersionText } from '../../../platform/http/fields.ts';

const AnnouncementKindEnum = enumSchema('AnnouncementKind', announcementKinds, {
  NEW_VERSION: 'a version is, or will be, available',
  DEPRECATION: 'a version is, or will be, deprecated',
  END_OF_LIFE: 'a version is, or will be, no longer supported',
});

export const AnnouncementResource = z
  .object({
    id: z.uuid(),
    kind: AnnouncementKindEnum,
    version: VersionText.describe('The version that it is about'),
    message: z.string(),
    effectiveAt: Timestamp.nullable().describe('When it takes effect; `null` if it names no time'),
    link: z.string().nullable().describe('Address with more about it; `null` if there is none'),
    createdAt: Timestamp,
  })
  .meta({
    id: 'Announcement',
    examples: [
      {
        id: '01a203c5-6b58-7d8e-a6f1-2f9b1f8d5f10',
        kind: 'NEW_VERSION',
        version: 'v1.1.0',
        message: 'Vaults can be read with `expand`',
        effectiveAt: '2026-12-01T00:00:00.000Z',
        link: null,
        createdAt: '2026-11-22T13:10:05.144Z',
      },
    ],
  });

export function presentAnnouncement(announcement: Announcement): z.input<typeof AnnouncementResource> {
  const { effectiveAt, createdAt, ...fields } = announcement;
  return {
    ...fields,
    effectiveAt: effectiveAt === null ? null : isoText(effectiveAt),
    createdAt: isoText(createdAt),
  };
}
