import type { JsonSchema } from './json-schema.ts';

/** The parts of the OpenAPI document that responses and requests are checked against. */
export interface PublishedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly headers?: Readonly<Record<string, PublishedHeader>>;
  };
  readonly 'x-error-codes': Readonly<Record<string, PublishedError>>;
}

export interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required?: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, PublishedResponse>>;
}

export interface PublishedResponse {
  readonly headers?: Readonly<Record<string, PublishedHeader>>;
  readonly content?: Content;
  readonly links?: Readonly<Record<string, { readonly parameters: Readonly<Record<string, string>> }>>;
  readonly 'x-codes'?: readonly string[];
}

export interface PublishedHeader {
  readonly $ref?: string;
  readonly required?: boolean;
}

interface PublishedError {
  readonly type: string;
  readonly status: number;
  readonly details?: Readonly<Record<string, string>>;
}

type Content = Readonly<
  Record<
    string,
    {
      readonly schema: JsonSchema;
      readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
    }
  >
>;

/** What a reference of the document names. Throws when there is nothing. */
export function referenced(document: PublishedDocument, reference: string): unknown {
  const steps = reference.replace(/^#\//, '').split('/');
  const found = steps.reduce<unknown>((part, step) => (Object(part) as Record<string, unknown>)[step], document);
  if (found === undefined) throw new Error(`the document has no ${reference}`);
  return found;
}

const patterns = new WeakMap<PublishedDocument, readonly [RegExp, string][]>();

/** The operation that a request reaches: HEAD is answered like GET. */
export function operationOf(document: PublishedDocument, method: string, path: string): Operation | undefined {
  if (!patterns.has(document)) patterns.set(document, patternsOf(document));
  const [, template = ''] = patterns.get(document)?.find(([pattern]) => pattern.test(path)) ?? [];
  return document.paths[template]?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
}

/** Paths without parameters come first: they are not values of a parameter. */
function patternsOf({ paths }: PublishedDocument): [RegExp, string][] {
  const byParameters = Object.keys(paths).toSorted((one, other) => one.split('{').length - other.split('{').length);
  return byParameters.map((path) => [new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`), path]);
}
