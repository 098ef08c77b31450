import type { Timing } from './timing.ts';

/** The service sends something every 15 s; a connection that is silent for this time is dead, in milliseconds. */
const SILENCE_MS = 45_000;
/** Far above the longest message of the service, in UTF-16 code units. */
const MAX_MESSAGE_LENGTH = 1_000_000;

/** A server-sent event (WHATWG HTML, 9.2). */
export interface StreamMessage {
  readonly id: string | null;
  /** The name; null for the usual one. */
  readonly event: string | null;
  /** Null for a message that only has an id. */
  readonly data: string | null;
}

/** The messages of a stream, until it ends. Throws when it is cut, silent for too long, or has a message too long. */
export async function* readMessages(
  body: ReadableStream<Uint8Array>,
  { pause }: Pick<Timing, 'pause'>,
): AsyncGenerator<StreamMessage, void, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let waiting = '';
  try {
    for (;;) {
      const { done, value } = await readOrThrow(reader, pause);
      if (done) return;
      const blocks = (waiting + decoder.decode(value, { stream: true })).split('\n\n');
      waiting = blocks.pop() ?? '';
      if (waiting.length > MAX_MESSAGE_LENGTH)
        throw new Error(`a message has more than ${MAX_MESSAGE_LENGTH} characters`);
      yield* blocks.map(messageOf);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function readOrThrow(reader: ReadableStreamDefaultReader<Uint8Array>, pause: Timing['pause']) {
  const answered = new AbortController();
  const silence = pause(SILENCE_MS, answered.signal).then(() => null);
  const result = await Promise.race([reader.read(), silence]).finally(() => {
    answered.abort();
  });
  if (result === null) throw new Error(`nothing came for ${SILENCE_MS / 1000} s`);
  return result;
}

function messageOf(block: string): StreamMessage {
  const fields = block.split('\n').map((line) => {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    return { name, value };
  });
  const last = (wanted: string) => fields.findLast(({ name }) => name === wanted)?.value ?? null;
  const data = fields.filter(({ name }) => name === 'data').map(({ value }) => value);
  return { id: last('id'), event: last('event'), data: data.length === 0 ? null : data.join('\n') };
}
