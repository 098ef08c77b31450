import { ageSeconds, type Instant, instant, isoText } from '../units/instant.ts';
import { type ChangeSubject, sharedSubjects } from '../database/recorded-changes.ts';
import type { SentBody } from './conditional.ts';

/** How long a body is what a new read would return. */
export interface Validity {
  /** A change of one of these ends it. */
  readonly changesWith: readonly (ChangeSubject | 'any vault')[];
  /** When time alone changes it; null for never. */
  readonly until: Instant | null;
  /** When it was read, if it says so. */
  readonly readAt?: Instant;
  /** Whether it says how many seconds ago something was: `ageSeconds`, after the `asOf` that it counts from. */
  readonly hasAges?: boolean;
}

/** A body that is kept. */
export interface KeptBody {
  readonly isValidAt: (now: Instant) => boolean;
  /** The body as a read at `now` returns it. */
  readonly at: (now: Instant) => SentBody;
}

/** A place for the body of a read that is under way. */
export interface ExpectedBody {
  readonly fill: (body: SentBody, validity: Validity) => void;
  readonly cancel: () => void;
}

/** Bodies by name; when there is no room, those that were not used for longest go. */
export interface KeptBodies {
  readonly find: (name: string) => KeptBody | null;
  /** Call it before the read begins: a change that is heard of meanwhile cancels it. */
  readonly expect: (name: string) => ExpectedBody;
  readonly forget: (changed: readonly ChangeSubject[]) => void;
  readonly forgetAll: () => void;
}

const MAX_CHARACTERS = 16_000_000;
/** One long list does not push many others out. */
const MAX_OF_ONE = 500_000;
/** What an entry takes beside its texts. */
const OVERHEAD = 500;

/** The subject of a body that is being read. */
const ANYTHING = 'anything';

const shared: ReadonlySet<string> = new Set(sharedSubjects);

interface Entry {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly size: number;
  /** Null until its read has ended. */
  readonly body: KeptBody | null;
}

export function createKeptBodies(): KeptBodies {
  const entries = createEntries();
  return {
    find(name) {
      const entry = entries.get(name);
      if (!entry?.body) return null;
      entries.use(entry);
      return entry.body;
    },
    expect(name) {
      // It is not known yet what the body depends on.
      const expected: Entry = { name, subjects: [ANYTHING], size: OVERHEAD + name.length, body: null };
      entries.add(expected);
      return {
        fill(body, validity) {
          if (entries.get(name) !== expected) return;
          entries.remove(expected);
          if (isOverWhenRead(validity)) return;
          const size = expected.size + body.text.length;
          if (size <= MAX_OF_ONE)
            entries.add({ name, subjects: validity.changesWith, size, body: keptBody(body, validity) });
        },
        cancel: () => {
          entries.remove(expected);
        },
      };
    },
    forget(changed) {
      if (changed.length > 0) entries.removeAll(ANYTHING);
      if (changed.some((subject) => !shared.has(subject))) entries.removeAll('any vault');
      for (const subject of changed) entries.removeAll(subject);
    },
    forgetAll: () => {
      entries.clear();
    },
  };
}

/** Entries by name and by subject, in the order of their last use. */
function createEntries() {
  const byName = new Map<string, Entry>();
  const bySubject = new Map<string, Set<Entry>>();
  let size = 0;

  function remove(entry: Entry): void {
    if (byName.get(entry.name) !== entry) return;
    byName.delete(entry.name);
    size -= entry.size;
    for (const subject of entry.subjects) {
      const others = bySubject.get(subject);
      others?.delete(entry);
      if (others?.size === 0) bySubject.delete(subject);
    }
  }

  return {
    get: (name: string) => byName.get(name),
    use(entry: Entry): void {
      byName.delete(entry.name);
      byName.set(entry.name, entry);
    },
    /** In the place of one of the same name. */
    add(entry: Entry): void {
      const before = byName.get(entry.name);
      if (before) remove(before);
      byName.set(entry.name, entry);
      size += entry.size;
      for (const subject of entry.subjects) bySubject.set(subject, (bySubject.get(subject) ?? new Set()).add(entry));
      for (const oldest of byName.values()) {
        if (size <= MAX_CHARACTERS) break;
        remove(oldest);
      }
    },
    remove,
    removeAll(subject: string): void {
      for (const entry of bySubject.get(subject) ?? []) remove(entry);
    },
    clear(): void {
      byName.clear();
      bySubject.clear();
      size = 0;
    },
  };
}

/** What changes all the time, as the seconds that something is overdue, would only take the room of others. */
function isOverWhenRead({ until, readAt }: Validity): boolean {
  return until !== null && readAt !== undefined && until <= readAt;
}

function keptBody({ text, tag, personalDataOf }: SentBody, validity: Validity): KeptBody {
  const { until } = validity;
  const textAt = rewriter(text, validity);
  return {
    isValidAt: (now) => until === null || now < until,
    at: (now) => ({
      tag,
      personalDataOf,
      // Not needed for a caller who has the body.
      get text() {
        return textAt(now);
      },
    }),
  };
}

/** Returns a function that writes a body as a read at another instant does. */
function rewriter(text: string, { readAt, hasAges = false }: Validity): (now: Instant) => string {
  if (readAt === undefined) return () => text;
  // Most bodies are forgotten before anybody asks for them again.
  let found: ReturnType<typeof changingParts> | null = null;
  return (now) => {
    const { parts, last } = (found ??= changingParts(text, readAt, hasAges));
    const time = `"${isoText(now)}"`;
    let written = '';
    for (const { before, asOf } of parts)
      written += before + (asOf === null ? time : String(ageSeconds(instant(asOf), now)));
    return written + last;
  };
}

/** What a text has before each value that depends on when it is read, and after the last one. */
function changingParts(text: string, readAt: Instant, hasAges: boolean) {
  const changing = new RegExp([timeOfReading(readAt), ...(hasAges ? [AGE] : [])].join('|'), 'g');
  let end = 0;
  const parts = [...text.matchAll(changing)].map((match) => {
    const part = { before: text.slice(end, match.index), asOf: match[1] === undefined ? null : Date.parse(match[1]) };
    end = match.index + match[0].length;
    return part;
  });
  return { parts, last: text.slice(end) };
}

/** The values of fields that tell when a resource was read; in a string their quotes would be escaped. */
function timeOfReading(readAt: Instant): string {
  return `(?<="(?:serverTime|timestamp)":)"${RegExp.escape(isoText(readAt))}"`;
}

const AGE = '(?<="asOf":"([^"]*)","ageSeconds":)\\d+';
