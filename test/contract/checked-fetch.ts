import { type Exchange, responseProblems } from './response-problems.ts';
import type { PublishedDocument } from './published-document.ts';

/** Problems found since they were last taken: a test may expect a request to fail, so they are not thrown where they are found. */
const found: string[] = [];

/** The problems of the responses that this test file has got since the last call. */
export function takeProblems(): string[] {
  return found.splice(0);
}

/** Notes what in a response is not as published; the hook after each test fails then. */
function noteProblems(document: PublishedDocument, exchange: Exchange): void {
  const { method, path, status, text } = exchange;
  const problems = responseProblems(document, exchange);
  found.push(...problems.map((problem) => `${method} ${path} ${status}: ${problem}\n  ${text.slice(0, 2_000)}`));
}

/** `fetch` for a service with this document: every response is checked. */
export function checkedFetch(document: () => PublishedDocument | Promise<PublishedDocument>): typeof fetch {
  return async (input, init = {}) => {
    const response = await fetch(input, init);
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    noteProblems(await document(), {
      method: init.method ?? 'GET',
      path: pathname + search,
      sent: typeof init.body === 'string' ? init.body : null,
      hasKey: new Headers(init.headers).has('x-api-key'),
      status: response.status,
      headers: response.headers,
      text: await response.clone().text(),
    });
    return response;
  };
}
