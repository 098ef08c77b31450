import { type Instant, isoText } from '../domain/units/instant.ts';
import type { ChangeSubject } from '../store/recorded-changes.ts';
import type { SentBody } from './conditional.ts';

/** How long a body is what a new read would return. */
export interface Validity {
  /** A change of one of these ends it; `anything` stands for every change. */
  readonly changesWith: readonly (ChangeSubject | 'anything')[];
  /** When time alone changes it; null for never. */
  readonly until: Instant | null;
  /** When it was read, if it says so. */
  readonly readAt?: Instant;
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

interface Entry {
  readonly name: string;
  subjects: readonly string[];
  size: number;
  body: KeptBody | null;
}

export function createKeptBodies(): KeptBodies {
  const entries = new Map<string, Entry>();
  const entriesOf = new Map<string, Set<Entry>>();
  let size = 0;

  function add(entry: Entry): void {
    entries.set(entry.name, entry);
    size += entry.size;
    for (const subject of entry.subjects) {
      const others = entriesOf.get(subject);
      if (others) others.add(entry);
      else entriesOf.set(subject, new Set([entry]));
    }
  }

  function remove(entry: Entry): void {
    if (entries.get(entry.name) !== entry) return;
    entries.delete(entry.name);
    size -= entry.size;
    for (const subject of entry.subjects) {
      const others = entriesOf.get(subject);
      others?.delete(entry);
      if (others?.size === 0) entriesOf.delete(subject);
    }
  }

  function removeAll(subject: string): void {
    for (const entry of entriesOf.get(subject) ?? []) remove(entry);
  }

  return {
    find(name) {
      const entry = entries.get(name);
      if (!entry?.body) return null;
      // The newest in the order of the map.
      entries.delete(name);
      entries.set(name, entry);
      return entry.body;
    },
    expect(name) {
      const before = entries.get(name);
      if (before) remove(before);
      // It is not known yet what the body depends on.
      const expected: Entry = { name, subjects: ['anything'], size: OVERHEAD + name.length, body: null };
      add(expected);
      return {
        fill(body, validity) {
          if (entries.get(name) !== expected) return;
          remove(expected);
          const filled = expected.size + body.text.length;
          if (filled > MAX_OF_ONE) return;
          add({ name, subjects: validity.changesWith, size: filled, body: keptBody(body, validity) });
          for (const oldest of entries.values()) {
            if (size <= MAX_CHARACTERS) break;
            remove(oldest);
          }
        },
        cancel: () => {
          remove(expected);
        },
      };
    },
    forget(changed) {
      if (changed.length > 0) removeAll('anything');
      for (const subject of changed) removeAll(subject);
    },
    forgetAll() {
      entries.clear();
      entriesOf.clear();
      size = 0;
    },
  };
}

function keptBody({ text, tag }: SentBody, { until, readAt }: Validity): KeptBody {
  const parts = readAt === undefined ? [text] : text.split(timeOfReading(readAt));
  return {
    isValidAt: (now) => until === null || now < until,
    at: (now) => ({
      tag,
      // Not needed for a caller who has the body.
      get text() {
        return parts.join(`"${isoText(now)}"`);
      },
    }),
  };
}

/** The values of fields that tell when a resource was read; in a string their quotes would be escaped. */
function timeOfReading(readAt: Instant): RegExp {
  return new RegExp(`(?<="(?:serverTime|timestamp)":)"${RegExp.escape(isoText(readAt))}"`);
}
