import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { isoText, wallClock } from '../units/time.ts';

export type Logger = PinoLogger;

/** Fields that are never logged, at the top and two levels below. Requests are not logged whole, so this is a second safeguard. */
const secretFields = new Set([
  'authorization',
  'cookie',
  'email',
  'key',
  'mnemonic',
  'password',
  'secret',
  'signature',
  'token',
  'unsigned_tx',
  'witnessSet',
  'x-api-key',
]);
const LEVELS_BELOW = 2;

/** What describes these fields at the top; errors elsewhere are described where secrets are replaced. */
const serializers = { error: describeError, err: describeError };

/** Creates the structured log of a process: timestamp, level, message, service, correlationId. @see spec, "Errors" 9 */
export function createLogger(
  { service, level = 'info' }: { service: string; level?: string },
  destination?: DestinationStream,
): Logger {
  return pino(
    {
      level,
      base: { service },
      messageKey: 'message',
      timestamp: () => `,"timestamp":"${isoText(wallClock.now())}"`,
      // The library's own redaction walks each entry once for every path.
      formatters: { level: (label) => ({ level: label }), log: (entry) => withoutSecrets(entry, LEVELS_BELOW) },
      mixin: () => {
        const id = correlationId();
        return id === undefined ? {} : { correlationId: id };
      },
      serializers,
    },
    destination ?? standardOutput(),
  );
}

/**
 * Returns a function that logs as `info` does, for entries whose fields hold neither secrets nor errors and name their correlation id:
 * it does not look at each field.
 */
export function plainLog(logger: Logger): (entry: object, message: string) => void {
  const { [pino.symbols.streamSym]: output } = logger as unknown as Record<symbol, DestinationStream>;
  const bindings = logger.bindings();
  return (entry, message) => {
    if (!logger.isLevelEnabled('info')) return;
    const timestamp = isoText(wallClock.now());
    output?.write(`${JSON.stringify({ level: 'info', timestamp, ...bindings, ...entry, message })}\n`);
  };
}

/** What waits while there is no room for it; later entries are lost. */
const MAX_WAITING_CHARACTERS = 16_000_000;

/**
 * Standard output that ends no process while there is no room for it, as on a full disk. Nor does it keep one from ending: by itself it would
 * try to write what is left for as long as that lasts, and the process would neither serve nor start again.
 */
function standardOutput() {
  const output = pino.destination({ dest: 1, sync: false, maxLength: MAX_WAITING_CHARACTERS });
  const flushSync = output.flushSync.bind(output);
  output.on('error', () => {
    output.flushSync = () => undefined;
  });
  output.on('write', () => {
    output.flushSync = flushSync;
  });
  return output;
}

const WRITTEN_EVERY_MS = 100;
/** Half of what a pipe takes at once. */
const WRITTEN_CHARACTERS = 32_768;

/**
 * Standard output without waiting for it: entries of a tenth of a second are written together, or as many as fill half a pipe. The rest
 * follows when the process ends, unless it is killed.
 */
export function queuedOutput(): DestinationStream {
  // Its own queue measures all that waits for each entry that comes.
  const output = standardOutput();
  let entries = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = entries;
    entries = '';
    output.write(text);
  };
  process.on('exit', () => {
    if (entries === '') return;
    flush();
    output.flushSync();
  });
  return {
    write(entry) {
      entries += entry;
      if (entries.length >= WRITTEN_CHARACTERS) flush();
      else timer ??= setTimeout(flush, WRITTEN_EVERY_MS);
    },
  };
}

/** The logged fields of an error. Errors of the database driver have row values in other fields, so no other field is logged. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : typeof error;
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause = error.cause === undefined || depth >= 4 ? {} : { cause: describeError(error.cause, depth + 1) };
  return { type: error.name, message: error.message, stack: error.stack, ...code, ...cause };
}

/** The same object, or a copy in which the values of secret fields are replaced, and errors described. */
function withoutSecrets<Value extends object>(value: Value, levelsBelow: number): Value {
  let copy: Record<string, unknown> | null = null;
  for (const [field, inner] of Object.entries(value) as [string, unknown][]) {
    if (levelsBelow === LEVELS_BELOW && field in serializers) continue;
    const shown = secretFields.has(field) ? '[secret]' : shownValue(inner, levelsBelow);
    if (shown === inner) continue;
    copy ??= (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>;
    copy[field] = shown;
  }
  return (copy as Value | null) ?? value;
}

function shownValue(value: unknown, levelsBelow: number): unknown {
  if (typeof value !== 'object' || value === null || levelsBelow === 0) return value;
  if (value instanceof Error) return describeError(value);
  return ArrayBuffer.isView(value) ? value : withoutSecrets(value, levelsBelow - 1);
}

const current = new AsyncLocalStorage<string>();

/** Runs `work` with `id` as the correlation id of everything it starts, also asynchronously. */
export function correlated<T>(id: string, work: () => T): T {
  return current.run(id, work);
}

/** The correlation id of the current request or activity; undefined outside of one. */
export function correlationId(): string | undefined {
  return current.getStore();
}

/** Whether the correlation id of a caller is accepted. */
export function isCorrelationId(text: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(text);
}
