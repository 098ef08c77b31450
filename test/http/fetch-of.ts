import type { RouteLists } from '../../src/platform/http/app.ts';
import { openApiDocument } from '../../src/platform/openapi/document.ts';
import { checkedFetch } from '../contract/checked-fetch.ts';
import type { PublishedDocument } from '../contract/published-document.ts';

/** `fetch` for a service that has these routes only: every response is checked against their document. */
export function fetchOf<Context>(routes: RouteLists<Context>): typeof fetch {
  const document = openApiDocument(routes, '0.0.0') as unknown as PublishedDocument;
  return checkedFetch(() => document);
}
