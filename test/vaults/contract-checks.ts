import { expect } from '@jest/globals';
import { ErrorBody } from '../../src/server/error-schemas.ts';
import { errorsOf } from '../../src/openapi/operation-errors.ts';
import { apiRoutes } from '../../src/http/routes.ts';
import type { Answer, apiClient } from '../stack/api-client.ts';

type ApiClient = ReturnType<typeof apiClient>;

/** The same client, which fails on a response with a field, status or error code that its operation does not publish. */
export function checkedAgainstContract(client: ApiClient): ApiClient {
  const checked =
    (method: keyof ApiClient, verb: string) =>
    async (path: string, ...rest: never[]) => {
      const answer = await (client[method] as (path: string, ...rest: never[]) => Promise<Answer<unknown>>)(
        path,
        ...rest,
      );
      expectPublished(verb, path, answer);
      return answer;
    };
  return {
    get: checked('get', 'get'),
    post: checked('post', 'post'),
    put: checked('put', 'put'),
    patch: checked('patch', 'patch'),
    del: checked('del', 'delete'),
  } as ApiClient;
}

function expectPublished(verb: string, path: string, { status, body }: Answer<unknown>): void {
  const route = apiRoutes.api.find((known) => known.method === verb && matches(known.path, path.split('?')[0] ?? ''));
  if (!route) return;
  if (status >= 400) {
    expect(errorsOf(route, 'api')).toContain(ErrorBody.parse(body).error.code);
    return;
  }
  const schema = route.responses[status];
  if (schema === null) expect(body).toBe('');
  else expect(schema?.parse(body)).toEqual(body);
}

function matches(pattern: string, path: string): boolean {
  return new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(path);
}
