import { randomUUID } from 'node:crypto';
import type { Answer } from '../stack/api-client.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';

type Client = TestStack['api'];

/** Longer than whatever is stopped stays away. */
const PATIENCE_MS = 300_000;

/** A stack in which a request or a query is repeated until it succeeds, so that what asks need not know what is stopped meanwhile. */
export function insistingStack<Stack extends Pick<TestStack, 'api' | 'sql'>>(stack: Stack): Stack {
  return { ...stack, api: insistingClient(stack.api), sql: insistingPool(stack.sql) };
}

/**
 * A client that repeats a request until it succeeds, as a frontend does, with the same idempotency key: the service acts once, however
 * often it was killed meanwhile. Refusals are repeated too, because a ledger that lies makes the service refuse what is possible.
 */
function insistingClient(client: Client): Client {
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

/** A pool whose queries are repeated while Postgres is away: tests only read with it. */
function insistingPool(pool: TestStack['sql']): TestStack['sql'] {
  const ask = pool.query.bind(pool) as (text: string, values?: unknown[]) => Promise<unknown>;
  const query = (text: string, values?: unknown[]) =>
    until(() => ask(text, values), { what: text, deadlineMs: PATIENCE_MS });
  return new Proxy(pool, {
    get: (target, name) => (name === 'query' ? query : (Reflect.get(target, name) as unknown)),
  });
}
