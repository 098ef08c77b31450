import { operationOf, type PublishedDocument } from '../contract/published-document.ts';
import type { Exchange } from '../contract/response-problems.ts';
import { type Known, knownName } from './values.ts';

/** Old values that nothing adds to any more are kept; of the others the newest. */
const MOST_LEARNED = 30;

/** Values that name something that exists, so that requests get beyond 404. The links of the document say where responses hold more. */
export function createPool(given: Readonly<Record<string, readonly string[]>>) {
  const values = new Map(
    Object.entries(given).map(([name, own]) => [knownName(name), { own, learned: [] as string[] }]),
  );
  const add = (name: string, value: unknown) => {
    const known = values.get(knownName(name));
    if (typeof value !== 'string' || !known || known.learned.includes(value)) return;
    known.learned = [...known.learned, value].slice(-MOST_LEARNED);
  };
  return {
    names: new Set(values.keys()),
    find: ({ name, pick }: Known): string => {
      const { own = [], learned = [] } = values.get(name) ?? {};
      return [...own, ...learned][pick % (own.length + learned.length)] ?? '';
    },
    learn: (document: PublishedDocument, { method, path, status, text }: Exchange): void => {
      const { responses = {} } = operationOf(document, method, path.split('?')[0] ?? '') ?? {};
      const links = Object.values(responses[status]?.links ?? {});
      for (const [name, expression] of links.flatMap(({ parameters }) => Object.entries(parameters)))
        add(name, valueAt(JSON.parse(text), expression));
    },
  };
}

/** The value of an OpenAPI runtime expression like `$response.body#/data/id`. */
function valueAt(body: unknown, expression: string): unknown {
  const steps = expression.replace('$response.body#/', '').split('/');
  return steps.reduce<unknown>((value, step) => (Object(value) as Record<string, unknown>)[step], body);
}
