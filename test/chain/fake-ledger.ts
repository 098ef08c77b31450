import { createLedger, type Ledger } from '../../src/cardano/ledger/ledger.ts';

/** Returns the response body for a path without its query; null is Blockfrost's 404. */
export type Respond = (path: string, query: URLSearchParams) => unknown;

/** A ledger client with canned responses; `asked` lists the requested paths in order. Submissions are refused in these words. */
export function fakeLedger(respond: Respond, refusal = 'refused'): { ledger: Ledger; asked: string[] } {
  const asked: string[] = [];
  const answer: typeof fetch = (target) => {
    const { pathname: path, searchParams } = new URL(target instanceof Request ? target.url : target);
    asked.push(path);
    const body = path === '/tx/submit' ? undefined : respond(path, searchParams);
    if (body === undefined) return Promise.resolve(Response.json({ message: refusal }, { status: 400 }));
    if (body === null) return Promise.resolve(Response.json({ message: 'not found' }, { status: 404 }));
    return Promise.resolve(Response.json(body));
  };
  return { ledger: createLedger({ baseUrl: 'http://ledger.test', timeoutMs: 1_000, fetch: answer }), asked };
}
