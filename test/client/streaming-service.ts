import type { Connection } from '../../client/src/connection.ts';

/** What a fake service does with one request: a stream, another response, or no connection. */
export type Answer = { readonly chunks: readonly string[]; readonly isOpen?: boolean } | Response | Error;

/** A service that gives these answers one after the other, and what it was asked. */
export function streamingService(answers: readonly Answer[]) {
  const waiting = [...answers];
  const requests: Request[] = [];
  let cancelled = 0;
  const fetch = (input: URL | Request | string, init?: RequestInit) => {
    const request = new Request(input, init);
    if (request.signal.aborted) return Promise.reject(request.signal.reason as Error);
    requests.push(request);
    const answer = waiting.shift();
    if (!answer) throw new Error('the service was asked once more');
    if (answer instanceof Error) return Promise.reject(answer);
    if (answer instanceof Response) return Promise.resolve(answer);
    const { chunks, isOpen = false } = answer;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
        if (!isOpen) controller.close();
        request.signal.addEventListener('abort', () => {
          cancelled += 1;
          controller.error(request.signal.reason);
        });
      },
    });
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };
  const connection: Connection = { baseUrl: 'http://service.example', apiKey: 'key', token: 'token', fetch };
  return {
    connection,
    requests,
    cancelled: () => cancelled,
    header: (name: string) => requests.map(({ headers }) => headers.get(name)),
    /** The number after which each request asked for events. */
    after: () => requests.map(({ url }) => new URL(url).searchParams.get('after')),
  };
}

/** A message as the service writes it. */
export const eventText = (seq: number) => `id: ${seq}\ndata: ${JSON.stringify({ seq, type: 'VAULT_HELD' })}\n\n`;

/** The last message of a stream that the service ends. */
export const closedText = (code: string) => `event: closed\ndata: ${JSON.stringify(errorBody(code))}\n\n`;

/** An error as the service writes it. */
export function errorBody(code: string, details?: object) {
  return { status: 'error', error: { type: 'X', code, message: code, correlationId: 'c', timestamp: 't', details } };
}
