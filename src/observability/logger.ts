import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { isoText } from '../domain/units/instant.ts';
import { wallClock } from '../domain/units/clock.ts';
import { correlationId } from './correlation.ts';

export type Logger = PinoLogger;

/** Fields that are never logged, at the top and two levels below. Requests are not logged whole, so this is a second safeguard. */
const secretFields = [
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
  '["x-api-key"]',
];

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
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => {
        const id = correlationId();
        return id === undefined ? {} : { correlationId: id };
      },
      serializers: { error: describeError, err: describeError },
      redact: { paths: secretFields.flatMap(everyLevel), censor: '[secret]' },
    },
    destination ?? pino.destination(1),
  );
}

/** The logged fields of an error. Errors of the database driver have row values in other fields, so no other field is logged. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : typeof error;
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause = error.cause === undefined || depth >= 4 ? {} : { cause: describeError(error.cause, depth + 1) };
  return { type: error.name, message: error.message, stack: error.stack, ...code, ...cause };
}

function everyLevel(field: string): string[] {
  const step = field.startsWith('[') ? field : `.${field}`;
  return [field, `*${step}`, `*.*${step}`];
}
