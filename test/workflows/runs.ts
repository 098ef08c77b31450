import type { Client } from '@temporalio/client';

interface Run {
  readonly events: number;
  readonly signals: number;
  readonly input: unknown;
}

/** The runs of a workflow from this one on, each of which continued as the next. */
export async function runsOf(client: Client, workflowId: string, firstRun: string): Promise<Run[]> {
  const runs: Run[] = [];
  for (let runId: string | undefined = firstRun; runId !== undefined;) {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const recorded: Events = events ?? [];
    runs.push({ events: recorded.length, signals: recorded.filter(isSignal).length, input: inputOf(recorded) });
    runId = nextOf(recorded);
  }
  return runs;
}

type Events = NonNullable<Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>['events']>;

const isSignal = (event: Events[number]) => Boolean(event.workflowExecutionSignaledEventAttributes);

function inputOf([started]: Events): unknown {
  const [input] = started?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return JSON.parse(Buffer.from(input?.data ?? []).toString());
}

function nextOf(events: Events): string | undefined {
  return events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
}
