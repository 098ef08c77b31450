import { type LedgerOptions, type RunningLedger, startLedger } from '../../embedded/ledger/server.ts';

/** An HTTP response with its body; error responses too. */
export interface Answer {
  status: number;
  body: unknown;
}

/** A ledger for one test, with the calls that tests need. Without `blockMs`, blocks are made only on request. */
export interface TestLedger extends RunningLedger {
  get(path: string): Promise<Answer>;
  api(path: string): Promise<Answer>;
  dev(path: string, body?: unknown): Promise<Answer>;
  submit(cbor: Uint8Array, contentType?: string): Promise<Answer>;
  mine(blocks?: number): Promise<{ height: number; slot: number }>;
  tip(): Promise<{ hash: string; height: number; slot: number; time: number; previous_block: string | null }>;
  mempoolSize(): Promise<number>;
}

export async function openLedger(options: LedgerOptions = {}): Promise<TestLedger> {
  const running = await startLedger({ blockMs: 0, ...options });
  return { ...running, ...callsOn(running.url) };
}

export function callsOn(url: string): Omit<TestLedger, keyof RunningLedger> {
  const get = (path: string) => call(`${url}${path}`);
  const dev = (path: string, body: unknown = {}) =>
    call(`${url}/dev${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return {
    get,
    api: (path) => get(`/api/v0${path}`),
    dev,
    submit: (cbor, contentType = 'application/cbor') =>
      call(`${url}/api/v0/tx/submit`, {
        method: 'POST',
        headers: { 'content-type': contentType },
        body: Buffer.from(cbor),
      }),
    mine: async (blocks = 1) => (await dev('/mine', { blocks })).body as { height: number; slot: number },
    tip: async () => (await get('/api/v0/blocks/latest')).body as Awaited<ReturnType<TestLedger['tip']>>,
    mempoolSize: async () => ((await get('/dev/mempool')).body as { size: number }).size,
  };
}

async function call(url: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) });
  return { status: response.status, body: await response.json() };
}

/** Repeats a call until its result fits; fails after a minute. */
export async function eventually<T>(ask: () => Promise<T>, fits: (answer: T) => boolean): Promise<T> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const answer = await ask();
    if (fits(answer)) return answer;
    if (performance.now() > deadline) throw new Error(`still ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
