import { canaries } from '../secrets/canaries.ts';

export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

interface RequestOptions {
  /** Another API key than the stack's ADMIN key; null sends none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls below `baseUrl` with JSON bodies; every answer is a value, whatever its status. `request` may check the responses. */
export function apiClient(baseUrl: () => string, adminKey: string | null, request = fetch) {
  async function send(method: string, path: string, body: unknown, { key = adminKey, headers }: RequestOptions) {
    const response = await request(`${baseUrl()}${path}`, {
      method,
      headers: {
        accept: 'application/json',
        cookie: canaries.cookie,
        ...(key === null ? {} : { 'x-api-key': key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      // Longer than any answer may take: a move of the clock waits for everything due on the way.
      signal: AbortSignal.timeout(240_000),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, headers: response.headers, body: isJson ? (JSON.parse(text) as unknown) : text };
  }

  const withBody =
    (method: string) =>
    async <Body = unknown>(path: string, body?: unknown, options: RequestOptions = {}): Promise<Answer<Body>> =>
      (await send(method, path, body, options)) as Answer<Body>;
  return {
    get: async <Body = unknown>(path: string, options: RequestOptions = {}): Promise<Answer<Body>> =>
      (await send('GET', path, undefined, options)) as Answer<Body>,
    options: (path: string, options: RequestOptions = {}) => send('OPTIONS', path, undefined, options),
    post: withBody('POST'),
    put: withBody('PUT'),
    patch: withBody('PATCH'),
    del: withBody('DELETE'),
  };
}
