import { z } from 'zod';
import { publish } from '../../events/publish.ts';
import {
  enumSchema,
  Timestamp,
  VersionText,
  CaseInsensitive,
  HttpsAddress,
  StartText,
  visibleLines,
} from '../../platform/http/fields.ts';
import {
  Enveloped,
  enveloped,
  EnvelopedPage,
  envelopedPage,
  pageOf,
  pageQuery,
  paginationOf,
} from '../../platform/http/envelope.ts';
import { created, ok } from '../../platform/http/route.ts';
import { isoText, instant } from '../../platform/units/time.ts';
import { type Announcement, insertAnnouncement, listAnnouncements } from '../queries.ts';
import { route } from './versions.ts';
import { announcementKinds } from '../rules.ts';

const AnnouncementKindEnum = enumSchema('AnnouncementKind', announcementKinds, {
  NEW_VERSION: 'a version is, or will be, available',
  DEPRECATION: 'a version is, or will be, deprecated',
  END_OF_LIFE: 'a version is, or will be, no longer supported',
});

const AnnouncementResource = z
  .object({
    id: z.uuid(),
    kind: AnnouncementKindEnum,
    version: VersionText.describe('Version of the announcement.'),
    message: z.string(),
    effectiveAt: Timestamp.nullable().describe('Time at which it takes effect, otherwise `null`.'),
    link: z.string().nullable().describe('Address with more information, otherwise `null`.'),
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

function presentAnnouncement(announcement: Announcement): z.input<typeof AnnouncementResource> {
  const { effectiveAt, createdAt, ...fields } = announcement;
  return {
    ...fields,
    effectiveAt: effectiveAt === null ? null : isoText(effectiveAt),
    createdAt: isoText(createdAt),
  };
}

const createAnnouncementRoute = route({
  method: 'post',
  path: '/announcements',
  operationId: 'createAnnouncement',
  summary: 'Announce a version change',
  description:
    'Announces a new version, a deprecation or the end of a version. Every caller with a key can read it. An ' +
    'announcement does not change any version.',
  success: 'The announcement',
  examples: {
    newVersion: { kind: 'NEW_VERSION', version: 'v1.1.0', message: 'Vaults can be read with `expand`' },
    deprecation: {
      kind: 'DEPRECATION',
      version: 'v1.1.0',
      message: 'Move to v2',
      effectiveAt: '2027-12-01T00:00:00Z',
      link: 'https://vaults.example/docs/migrations/v2',
    },
  },
  permission: { resource: 'announcement', action: 'CREATE' },
  body: z
    .strictObject({
      kind: CaseInsensitive(announcementKinds),
      version: VersionText.describe('Version of the announcement.'),
      message: visibleLines(2000, 1),
      effectiveAt: StartText.optional().describe('Time at which it takes effect.'),
      link: HttpsAddress.optional().describe('Address with more information.'),
    })
    .meta({ id: 'CreateAnnouncement' }),
  responses: { 201: Enveloped(AnnouncementResource) },
  errors: [],
  async handle({ body, caller, idempotency }, { unitOfWork }) {
    return unitOfWork((context) =>
      idempotency.once(context.tx, async () => {
        const { effectiveAt, link = null, ...fields } = body;
        const times = {
          effectiveAt: effectiveAt === undefined ? null : instant(new Date(effectiveAt)),
          createdAt: context.now,
        };
        const announcement = { id: context.ids.next(), link, ...fields, ...times };
        await insertAnnouncement(context.tx, announcement, caller.apiKeyId);
        const resource = { type: 'announcement', id: announcement.id };
        const metadata = { kind: body.kind, version: body.version };
        await publish(context, { audit: { action: 'ANNOUNCEMENT_CREATED', caller, resource, metadata } });
        return created(enveloped(presentAnnouncement(announcement), context.now));
      }),
    );
  },
});

const listAnnouncementsRoute = route({
  method: 'get',
  path: '/announcements',
  operationId: 'listAnnouncements',
  summary: 'List announcements',
  description: 'Lists announcements about versions of the API, newest first. Every caller with a key can read them.',
  success: 'A page of announcements',
  permission: { unrestricted: 'Announcements are for every caller' },
  query: z.strictObject({
    ...pageQuery(['createdAt']),
    kind: CaseInsensitive(announcementKinds).optional(),
    version: VersionText.optional(),
  }),
  responses: { 200: EnvelopedPage(z.object({ announcements: z.array(AnnouncementResource) })) },
  errors: [],
  async handle({ query }, { db, wallClock }) {
    const { kind, version } = query;
    const { announcements, count } = await listAnnouncements(db, { kind, version }, pageOf(query, 'createdAt:desc'));
    const data = { announcements: announcements.map(presentAnnouncement) };
    return ok(envelopedPage(data, paginationOf(query, count), wallClock.now()));
  },
});

export const announcementRoutes = [createAnnouncementRoute, listAnnouncementsRoute];
