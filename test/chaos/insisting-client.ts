import { randomUUID } from 'node:crypto';
import type { Answer } from '../stack/api-client.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

type Client = TestStack['api'];

/** Longer than whatever is stopped stays away. */
const PATIENCE_MS = 120_000;

/**
 * A client that repeats a request until it succeeds, as a frontend does, with the same idempotency key: the service acts once, however
 * often it was killed meanwhile. Refusals are repeated too, because a ledger that lies makes the service refuse what is possible.
 */
export function insistingClient(client: Client): Client {
  const insist = <Body>(what: string, ask: () => Promise<Answer<Body>>): Promise<Answer<Body>> =>
    until(
      async () => {
        const answer = await ask();
        if (answer.status < 400) return answer;
        throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
      },
      { what, deadlineMs: PATIENCE_MS },
    );
  const withBody =
    (name: 'post' | 'put' | 'patch' | 'del') =>
    <Body = unknown>(path: string, body?: unknown, options?: Parameters<Client['post']>[2]) => {
      const headers = { 'idempotency-key': randomUUID(), ...options?.headers };
      return insist(`${name} ${path}`, () => client[name]<Body>(path, body, { ...options, headers }));
    };
  return {
    ...client,
    get: <Body = unknown>(path: string, options?: Parameters<Client['get']>[1]) =>
      insist(`get ${path}`, () => client.get<Body>(path, options)),
    post: withBody('post'),
    put: withBody('put'),
    patch: withBody('patch'),
    del: withBody('del'),
  };
}
