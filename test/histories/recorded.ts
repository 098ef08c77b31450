import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const folder = fileURLToPath(new URL('.', import.meta.url));

/** What is read here of a history in Temporal's JSON format. */
export interface History {
  readonly events: readonly {
    readonly eventType: string;
    readonly workflowExecutionStartedEventAttributes?: {
      readonly workflowType: { readonly name: string };
      readonly continuedExecutionRunId?: string;
    };
    readonly activityTaskScheduledEventAttributes?: { readonly activityType: { readonly name: string } };
  }[];
}

/** The names of all recorded histories, each of a life of lives.ts. */
export async function recordedNames(): Promise<string[]> {
  return (await readdir(folder)).filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
}

export async function readHistory(name: string): Promise<History> {
  return JSON.parse(await readFile(`${folder}${name}.json`, 'utf8')) as History;
}

export function workflowTypeOf({ events }: History): string {
  return events[0]?.workflowExecutionStartedEventAttributes?.workflowType.name ?? '';
}

/** Whether the run continues where one before it has continued as new. */
export function isNextRun({ events }: History): boolean {
  return Boolean(events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId);
}

/** Whether the run has continued as new. */
export function isContinued({ events }: History): boolean {
  return events.at(-1)?.eventType.endsWith('CONTINUED_AS_NEW') === true;
}

/** The activities that the run has begun. */
export function activitiesOf({ events }: History): string[] {
  return events.flatMap(({ activityTaskScheduledEventAttributes: task }) => task?.activityType.name ?? []);
}
