import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface BenchRequest {
  readonly path: string;
  readonly body: unknown;
  readonly idempotencyKey?: string;
}

interface Target {
  readonly url: string;
  readonly adminKey: string;
  readonly connections: number;
}

export interface Load {
  readonly seconds: number;
  /** Duration of each request in milliseconds. */
  readonly latencies: readonly number[];
}

/** Sends all requests over `connections` connections, one at a time on each; rejects at the first response that is not 200. */
export async function sendAll(postings: Iterable<BenchRequest>, { url, adminKey, connections }: Target): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = { 'content-type': 'application/json', 'x-api-key': adminKey };
  const latencies: number[] = [];
  const queue = postings[Symbol.iterator]();

  async function post({ path, body, idempotencyKey }: BenchRequest): Promise<void> {
    const began = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<null>();
    const keyed = idempotencyKey === undefined ? headers : { ...headers, 'idempotency-key': idempotencyKey };
    const asked = request(`${url}${path}`, { method: 'POST', agent, headers: keyed }, (answer) => {
      buffer(answer).then((text) => {
        latencies.push(performance.now() - began);
        if (answer.statusCode === 200) resolve(null);
        else reject(new Error(`${answer.statusCode} from ${path}: ${text.toString()}`));
      }, reject);
    });
    asked.on('error', reject);
    asked.end(JSON.stringify(body));
    await promise;
  }

  async function connection(): Promise<void> {
    for (let next = queue.next(); next.done !== true; next = queue.next()) await post(next.value);
  }

  const began = performance.now();
  await Promise.all(Array.from({ length: connections }, connection));
  agent.destroy();
  return { seconds: (performance.now() - began) / 1000, latencies };
}
