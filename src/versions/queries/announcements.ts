import { type Instant, instant } from '../../platform/units/instant.ts';
import type { AnnouncementKind } from '../rules/announcement.ts';
import type { Db, Transaction } from '../../platform/database/database.ts';
import { givenFields, type Page, type PageCount, readPage } from '../../platform/database/page.ts';

export interface Announcement {
  readonly id: string;
  readonly kind: AnnouncementKind;
  /** The version of the API that it is about. */
  readonly version: string;
  readonly message: string;
  readonly effectiveAt: Instant | null;
  readonly link: string | null;
  readonly createdAt: Instant;
}

export interface AnnouncementFilter {
  readonly kind?: AnnouncementKind | undefined;
  readonly version?: string | undefined;
}

export async function insertAnnouncement(
  tx: Transaction,
  announcement: Announcement,
  createdBy: string,
): Promise<void> {
  const { effectiveAt, createdAt, ...fields } = announcement;
  const times = { effective_at: effectiveAt === null ? null : new Date(effectiveAt), created_at: new Date(createdAt) };
  await tx
    .insertInto('announcements')
    .values({ ...fields, ...times, created_by: createdBy })
    .execute();
}

const columns = { createdAt: 'created_at' } as const;

/** A page of the announcements that match, and the total. */
export async function listAnnouncements(
  db: Db,
  filter: AnnouncementFilter,
  page: Page<'createdAt'>,
): Promise<{ announcements: Announcement[]; count: PageCount }> {
  const matching = db.selectFrom('announcements').where((eb) => eb.and(givenFields(filter)));
  const order = { columns, tieBreak: ['id'], tieBreakFollowsSort: true };
  const { rows, count } = await readPage(db, matching.selectAll(), matching, order, page);
  const announcements = rows.map(({ id, kind, version, message, effective_at, link, created_at }) => {
    const effectiveAt = effective_at && instant(effective_at);
    return { id, kind, version, message, effectiveAt, link, createdAt: instant(created_at) };
  });
  return { announcements, count };
}
