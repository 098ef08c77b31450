import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const folder = fileURLToPath(new URL('.', import.meta.url));

/** What is read here of a history in Temporal's JSON format. */
export interface History {
  readonly events: readonly HistoryEvent[];
}

interface HistoryEvent {
  readonly eventType: string;
  readonly workflowExecutionStartedEventAttributes?: {
    readonly workflowType: { readonly name: string };
    readonly continuedExecutionRunId?: string;
  };
  readonly workflowExecutionCompletedEventAttributes?: { readonly result?: Payloads };
  readonly activityTaskScheduledEventAttributes?: { readonly activityType: { readonly name: string } };
  readonly workflowTaskFailedEventAttributes?: { readonly cause: string };
  readonly markerRecordedEventAttributes?: { readonly details?: Readonly<Record<string, Payloads>> };
}

interface Payloads {
  readonly payloads: readonly { readonly data?: string }[];
}

/** The names of all recorded histories, as `<release>/<type>-<outcome>.json`. */
export async function recordedNames(): Promise<string[]> {
  const files = await readdir(folder, { recursive: true });
  return files.filter((name) => name.includes('/') && name.endsWith('.json')).toSorted();
}

export async function readHistory(name: string): Promise<History> {
  return JSON.parse(await readFile(folder + name, 'utf8')) as History;
}

export function workflowTypeOf({ events }: History): string {
  return events[0]?.workflowExecutionStartedEventAttributes?.workflowType.name ?? '';
}

/** Whether the run goes on where one before it has continued as new. */
export function isNextRun({ events }: History): boolean {
  return Boolean(events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId);
}

/** The changes of the workflows that the run has made. */
export function changesOf({ events }: History): string[] {
  return events
    .flatMap(({ markerRecordedEventAttributes: marker }) => marker?.details?.['patch-data']?.payloads ?? [])
    .map((payload) => (decode(payload) as { readonly id: string }).id);
}

/** How a run has ended; 'running' when it has not, also if something ended it from outside. */
export function endOf({ events }: History): string {
  const last = events.at(-1);
  if (last?.eventType.endsWith('CONTINUED_AS_NEW') === true) return 'continued';
  const completed = last?.workflowExecutionCompletedEventAttributes;
  return completed ? resultOf(completed.result) : 'running';
}

function resultOf(result: Payloads | undefined): string {
  const [payload] = result?.payloads ?? [];
  const value = payload ? decode(payload) : null;
  return typeof value === 'string' ? value : ((value as { readonly reason?: string } | null)?.reason ?? 'completed');
}

/** Whether a task of the run failed, as a test may want it; one that a signal came into was only done again. */
export function isBroken({ events }: History): boolean {
  const causes = events.flatMap(({ workflowTaskFailedEventAttributes: task }) => task?.cause ?? []);
  return causes.some((cause) => !cause.endsWith('UNHANDLED_COMMAND'));
}

/** The paths that a history guards: no other code than that which makes them replays it. A next run comes to them in another order. */
export function pathsOf(history: History): Set<string> {
  const activities = history.events.flatMap(
    ({ activityTaskScheduledEventAttributes: task }) => task?.activityType.name ?? [],
  );
  const type = workflowTypeOf(history);
  const end = endOf(history);
  const paths = [...changesOf(history), ...activities, ...(end === 'running' ? [] : [end])];
  const run = isNextRun(history) ? `next run of ${type}` : type;
  return new Set(paths.map((path) => `${run} ${path}`));
}

function decode({ data = '' }: { readonly data?: string }): unknown {
  return data === '' ? null : (JSON.parse(Buffer.from(data, 'base64').toString()) as unknown);
}
