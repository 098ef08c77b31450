import { setTimeout as pause } from 'node:timers/promises';
import { wallClock } from '../../src/domain/units/clock.ts';
import { secondsAfter } from '../../src/domain/units/instant.ts';

const PATIENCE_SECONDS = 60;

/** The service as a frontend uses it. Every call throws an Error with the response body unless it succeeds. */
export interface Rest {
  get<Body>(path: string): Promise<Body>;
  post<Body>(path: string, body: object): Promise<Body>;
  /** Repeats a call until its result is not null. */
  until<Answer>(ask: () => Promise<Answer | null>): Promise<Answer>;
}

/** Calls of one service with one API key. */
export function connectRest(apiUrl: string, apiKey: string): Rest {
  async function call<Body>(method: string, path: string, body?: object): Promise<Body> {
    const response = await fetch(`${apiUrl}${path}`, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as Body;
  }
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    async until(ask) {
      const deadline = secondsAfter(wallClock.now(), PATIENCE_SECONDS);
      for (;;) {
        const answer = await ask();
        if (answer !== null) return answer;
        if (wallClock.now() > deadline) throw new Error(`not within ${PATIENCE_SECONDS} s`);
        await pause(100);
      }
    },
  };
}
