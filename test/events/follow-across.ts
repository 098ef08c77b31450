import { setImmediate as nextEventLoop } from 'node:timers/promises';
import { until } from '../stack/until.ts';
import { eventClient } from './event-client.ts';
import { eventStream } from './stream-client.ts';

/** A follower that continues at the next api, after the last number it has, whenever its connection is lost. */
export interface Follower {
  readonly seqs: () => number[];
  /** How often it has begun to follow. */
  readonly begun: () => number;
  /** Ends it; rejects with what an api refused. */
  stop(): Promise<void>;
}

/** One connection: what came, and when it is over. Undefined when the api cannot be reached. */
interface Connection {
  readonly seqs: () => number[];
  readonly over: Promise<unknown>;
  readonly end: () => void;
}

/** Follows everything by socket.io, from the first event on; waits for `mayConnect` before each connection. */
export function followBySocket(urls: readonly string[], apiKey: string, mayConnect = atOnce): Follower {
  return follow(urls, async (url, after) => {
    await mayConnect();
    const client = eventClient(url, { apiKey });
    const over = new Promise((resolve) => client.socket.once('disconnect', resolve));
    const isConnected = (await client.connected()) === null;
    const reply = isConnected ? await client.subscribe({ after }).catch(() => undefined) : undefined;
    if (reply === undefined) {
      client[Symbol.dispose]();
      return undefined;
    }
    if (reply.status !== 'success') throw new Error(`the subscription was refused: ${JSON.stringify(reply)}`);
    return { seqs: client.seqs, over, end: client[Symbol.dispose] };
  });
}

/** Follows a vault by server-sent events, from the first event on; waits for `mayConnect` before each connection. */
export function followByStream(
  urls: readonly string[],
  apiKey: string,
  vaultId: string,
  mayConnect = atOnce,
): Follower {
  return follow(urls, async (url, after) => {
    await mayConnect();
    const address = `${url}/api/v1/events?vaultId=${vaultId}`;
    const headers = { 'x-api-key': apiKey, 'last-event-id': String(after) };
    const stream = await eventStream(address, headers).catch(() => undefined);
    if (stream === undefined) return undefined;
    if (stream.refusal) throw new Error(`the stream was refused: ${JSON.stringify(stream.refusal)}`);
    return { seqs: stream.seqs, over: stream.ended, end: stream[Symbol.dispose] };
  });
}

const atOnce = (): Promise<unknown> => Promise.resolve();

function follow(
  urls: readonly string[],
  connect: (url: string, after: number) => Promise<Connection | undefined>,
): Follower {
  const stopping = Promise.withResolvers<null>();
  let isStopping = false;
  const seen: number[] = [];
  let current: Connection | undefined;
  let begun = 0;

  async function run(): Promise<void> {
    for (let attempt = 0; !isStopping; attempt += 1) {
      current = await connect(urls[attempt % urls.length]!, seen.at(-1) ?? 0);
      if (current === undefined) {
        await nextEventLoop();
        continue;
      }
      begun += 1;
      await Promise.race([current.over, stopping.promise]);
      current.end();
      seen.push(...current.seqs());
      current = undefined;
    }
  }
  const ended = run();
  ended.catch(() => undefined);
  return {
    seqs: () => [...seen, ...(current?.seqs() ?? [])],
    begun: () => begun,
    async stop() {
      isStopping = true;
      stopping.resolve(null);
      await ended;
    },
  };
}

/** Does what cuts the connections of the followers, and waits until each has begun again and has got more events. */
export async function untilFollowedOn(followers: readonly Follower[], cut: () => Promise<unknown>): Promise<void> {
  const before = followers.map((follower) => ({ begun: follower.begun(), events: follower.seqs().length }));
  await cut();
  const goesOn = (follower: Follower, position: number) =>
    follower.begun() > before[position]!.begun && follower.seqs().length > before[position]!.events;
  await until(() => followers.every(goesOn), { what: 'the followers to go on' });
}
