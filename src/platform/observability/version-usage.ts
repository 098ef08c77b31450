import { singleFlight } from '../async.ts';
import { type Clock, type Instant, startOfDay } from '../units/time.ts';
import type { MeasuredRequest } from './metrics.ts';

/** The requests to one version of the API in one day (UTC). */
export interface VersionUsage {
  readonly version: string;
  /** Start of the day. */
  readonly day: Instant;
  requests: number;
  /** Requests that were refused, failed or aborted. */
  errors: number;
  durationMs: number;
  /** API keys. They are as few as the keys that exist: an invalid key is no client. */
  readonly clients: Set<string>;
}

interface VersionUsageOptions {
  readonly clock: Clock;
  /** Adds the usage to what is stored. */
  readonly save: (usage: readonly VersionUsage[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

export interface VersionUsageRecorder {
  readonly record: (request: MeasuredRequest) => void;
  /** Saves what is not saved yet; a failure is reported, and the usage is kept for the next time. */
  save(): Promise<void>;
  /** Saves for the last time. */
  close(): Promise<void>;
}

const SAVE_EVERY_MS = 10_000;

/** Counts requests by version in the process, and saves the counts in batches, so that a request costs no query. */
export function recordVersionUsage({ clock, save, onError }: VersionUsageOptions): VersionUsageRecorder {
  let counted = new Map<string, VersionUsage>();

  function usageOf(version: string): VersionUsage {
    return entryOf(counted, { version, day: startOfDay(clock.now()) });
  }
  const saveAll = singleFlight(async () => {
    const unsaved = counted;
    counted = new Map();
    try {
      if (unsaved.size > 0) await save([...unsaved.values()]);
    } catch (error) {
      for (const usage of unsaved.values()) add(entryOf(counted, usage), usage);
      onError(error);
    }
  });

  const timer = setInterval(() => void saveAll(), SAVE_EVERY_MS).unref();
  return {
    record({ version, status, seconds, apiKeyId }) {
      if (version === null) return;
      const usage = usageOf(version);
      usage.requests += 1;
      if (status === null || status >= 400) usage.errors += 1;
      usage.durationMs += seconds * 1000;
      if (apiKeyId !== null) usage.clients.add(apiKeyId);
    },
    save: saveAll,
    async close() {
      clearInterval(timer);
      // One that runs already lacks what came since.
      await saveAll();
      await saveAll();
    },
  };
}

function entryOf(
  counted: Map<string, VersionUsage>,
  { version, day }: Pick<VersionUsage, 'version' | 'day'>,
): VersionUsage {
  const key = `${day} ${version}`;
  const known = counted.get(key);
  if (known) return known;
  const usage = { version, day, requests: 0, errors: 0, durationMs: 0, clients: new Set<string>() };
  counted.set(key, usage);
  return usage;
}

function add(usage: VersionUsage, more: Omit<VersionUsage, 'version' | 'day'>): void {
  usage.requests += more.requests;
  usage.errors += more.errors;
  usage.durationMs += more.durationMs;
  for (const client of more.clients) usage.clients.add(client);
}
