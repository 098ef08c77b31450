import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What happens to one call: it is passed on, now or late; or dropped, before or after it was passed on; or answered with 404, or with an earlier response. */
type Treatment = 'honest' | 'delay' | 'drop' | 'drop after' | 'lie' | 'repeat';

interface Call {
  readonly method: string;
  readonly path: string;
}

interface KeptResponse {
  readonly status: number;
  readonly body: Buffer;
}

/** Decides what happens to a call. */
export type Liar = (call: Call) => Treatment;

/** Decides before the liar, and may take its time; null leaves the call to the liar. */
type Interceptor = (call: Call & { readonly body: Buffer }) => Promise<Treatment | null>;

const MAX_DELAY_MS = 150;
const CALLS_PER_SEED = 20;
const treatments = ['delay', 'drop', 'drop after', 'lie', 'repeat'] as const;
const honest: Liar = () => 'honest';

/** A stand-in for an unreliable ledger: it passes calls on to an embedded one, and treats each as its liar says. */
export async function lyingLedger(target: string) {
  let liar = honest;
  let intercept: Interceptor = () => Promise.resolve(null);
  const withholding = new Map<string, (signed: string) => Promise<boolean>>();
  /** How calls are treated while it is away, and until when; null while it is there. */
  let absence: { readonly refuses: boolean; readonly over: Promise<undefined> } | null = null;
  let random = seededRandom(1);
  const earlier = new Map<string, KeptResponse>();
  const counts = new Map<Treatment, number>();

  async function passOn(request: IncomingMessage, path: string, body: Buffer): Promise<KeptResponse> {
    const type = request.headers['content-type'];
    const response = await fetch(`${target}${path}`, {
      method: request.method ?? 'GET',
      headers: type === undefined ? {} : { 'content-type': type },
      ...(request.method === 'POST' && { body: new Uint8Array(body) }),
    });
    return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
  }

  /** The response to a call that is not dropped or lied to: an earlier one when it is repeated, else the ledger's. */
  async function respond(request: IncomingMessage, body: Buffer, treatment: Treatment): Promise<KeptResponse> {
    const [method, path] = [request.method ?? 'GET', request.url ?? '/'];
    // Calls that are under way together overtake each other.
    if (treatment === 'delay') await pause(random() * MAX_DELAY_MS);
    if (treatment === 'repeat' && method === 'POST') await passOn(request, path, body);
    const kept = treatment === 'repeat' && method === 'GET' ? earlier.get(path) : undefined;
    if (kept !== undefined) return kept;
    const response = await passOn(request, path, body);
    if (random() < 0.5) earlier.set(path, response);
    return response;
  }

  async function isWithheld(body: Buffer): Promise<boolean> {
    for (const isIn of withholding.values()) if (await isIn(body.toString('hex'))) return true;
    return false;
  }

  async function treatmentOf(call: Call & { readonly body: Buffer }): Promise<Treatment> {
    if (absence?.refuses === true) return 'drop';
    await absence?.over;
    if (!call.path.startsWith('/api/v0')) return 'honest';
    if (call.method === 'POST' && call.path.endsWith('/tx/submit') && (await isWithheld(call.body))) return 'drop';
    return (await intercept(call)) ?? liar(call);
  }

  async function treat(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = { method: request.method ?? 'GET', path: request.url ?? '/' };
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
    const treatment = await treatmentOf({ ...call, body });
    counts.set(treatment, (counts.get(treatment) ?? 0) + 1);
    if (treatment === 'drop') response.destroy();
    else if (treatment === 'lie') response.writeHead(404).end('{"message":"not found"}');
    else {
      const answer = await respond(request, body, treatment);
      if (treatment === 'drop after') response.destroy();
      else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
    }
  }

  const server = createServer((request, response) => {
    treat(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /** Treats calls as this function says, from now on. */
    lie(next: Liar): void {
      liar = next;
    },
    /** Treats calls at random, reproducibly for each seed, whose turns follow each other: `rate` of them are not passed on honestly. */
    lieAtRandom(seeds: readonly number[], rate: number): void {
      const generators = seeds.map(seededRandom);
      let calls = 0;
      random = () => (generators[Math.floor(calls / CALLS_PER_SEED) % generators.length] ?? seededRandom(1))();
      liar = () => {
        calls += 1;
        return random() < rate ? (treatments[Math.floor(random() * treatments.length)] ?? 'honest') : 'honest';
      };
    },
    /** Lets this function decide first, from now on. */
    intercept(next: Interceptor): void {
      intercept = next;
    },
    /** Drops the signed transactions of which this function says so, until `letThrough` is called with the same name. */
    withhold(name: string, isIn: (signed: string) => Promise<boolean>): void {
      withholding.set(name, isIn);
    },
    letThrough(name: string): void {
      withholding.delete(name);
    },
    /** Is away from now on: connections break, or calls are answered only when it is back. Returns how it comes back. */
    goAway(how: 'refuses' | 'hangs'): () => void {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      absence = { refuses: how === 'refuses', over: promise };
      return () => {
        absence = null;
        resolve(undefined);
      };
    },
    beHonest(): void {
      liar = honest;
    },
    /** How many calls were treated how. */
    counts: (): ReadonlyMap<Treatment, number> => counts,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await Promise.resolve();
    },
  };
}

/** Mulberry32: numbers from 0 to 1, always the same for one seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
