import { Router } from 'express';
import { z } from 'zod';
import { asyncApiDocument, socketSample } from './document.ts';
import { eventSchemas } from '../routes/event-message.ts';
import { constant, type Route, routeFor } from '../../platform/http/route.ts';

const STYLE = `body { font: 16px/1.5 sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; width: 100%; }
td, th { border-bottom: 1px solid #ddd; padding: 0.25rem 0.75rem 0.25rem 0; text-align: left; vertical-align: top; }
pre, code { background: #f4f4f4; } pre { overflow-x: auto; padding: 0.75rem; }
td ul { margin: 0; padding-left: 1.25rem; }
`;

/** The operation that returns the AsyncAPI document, which is made at the first request. */
export function asyncApiRoute<Context>(version: string): Route<Context> {
  const makeDocument = () => constant({ ...asyncApiDocument(version) });
  let document: ReturnType<typeof makeDocument> | undefined;
  return routeFor<Context>()({
    method: 'get',
    path: '/asyncapi.json',
    operationId: 'readAsyncApi',
    summary: 'Get the AsyncAPI document',
    description: 'AsyncAPI 3.1: the events, and the messages of socket.io. `/docs/events` shows it as a page.',
    permission: { unrestricted: 'The contract is public' },
    success: 'The AsyncAPI document',
    responses: { 200: z.looseObject({ asyncapi: z.string() }) },
    errors: [],
    handle: () => Promise.resolve((document ??= makeDocument())),
  });
}

/** The page of the events, below /docs. */
export function eventPages(version: string): Router {
  const router = Router();
  let page: string | undefined;
  router.get('/events', (_request, response) => {
    response.type('text/html').send((page ??= eventsPage(version)));
  });
  router.get('/events.css', (_request, response) => {
    response.type('text/css').send(STYLE);
  });
  return router;
}

/** The AsyncAPI document as a page for people; it has no script, and its style sheet comes from this service. */
export function eventsPage(version: string): string {
  const { info, components, operations, channels } = asyncApiDocument(version);
  const schemas = components.schemas as Components;
  const messages = components.messages as Readonly<Record<string, { readonly payload: Schema }>>;
  const messageSections = Object.entries(operations).flatMap(
    ([name, { action, summary, description, messages: refs }]) => {
      const message = messages[refs[0]?.$ref.split('/').at(-1) ?? ''];
      if (!message || name === 'streamEvents') return [];
      const sender = action === 'receive' ? 'sent by the client' : 'sent by the service';
      const reply = messages[`${name}Reply`];
      const acknowledgement = reply ? `<h4>Acknowledgement</h4>${successTable(reply.payload, schemas)}` : '';
      const heading = `<h3 id="${name}"><code>${name}</code>, ${sender}</h3><p>${proseHtml(`${summary}. ${description}`)}</p>`;
      return [heading + schemaTable(message.payload, schemas) + acknowledgement];
    },
  );
  const [first] = eventSchemas;
  const eventFields = first === undefined ? {} : componentOf(first[0], schemas);
  const { data: _data, ...common } = eventFields.properties ?? {};
  const eventSections = eventSchemas.map(([type]) => {
    const { properties = {}, description = '' } = componentOf(type, schemas);
    return `<h3 id="${type}"><code>${type}</code></h3><p>${proseHtml(description)}</p>${schemaTable(properties['data'] ?? {}, schemas)}`;
  });
  return page(info.title, [
    `<p>${proseHtml(info.description)} See also the <a href="/docs/">operations</a> and the <a ` +
      'href="/asyncapi.json">AsyncAPI document</a>. The typed client, <code>client/</code> in the repository of ' +
      'the service, reads them for you: <code>followEvents</code>.</p>',
    `<h2>socket.io: namespace <code>${channels.socket.address}</code></h2><p>${proseHtml(channels.socket.description)}</p>`,
    `<pre><code>${escapeHtml(socketSample)}</code></pre>`,
    ...messageSections,
    `<h2>Server-sent events</h2><p><code>GET ${channels.stream.address}</code>: ${proseHtml(channels.stream.description)}</p>`,
    '<h2>Every event</h2>',
    schemaTable({ properties: common, required: Object.keys(common) }, schemas),
    '<h2><code>data</code> by type</h2>',
    ...eventSections,
  ]);
}

/** The first of two payloads is the one of success. */
function successTable({ anyOf = [] }: Schema, schemas: Components): string {
  return schemaTable(anyOf[0] ?? {}, schemas);
}

function componentOf(type: string, schemas: Components): Schema {
  return Object.values(schemas).find(({ properties }) => properties?.['type']?.const === type) ?? {};
}

function page(title: string, parts: readonly string[]): string {
  const head = `<meta charset="utf-8"><title>${escapeHtml(title)}</title><link rel="stylesheet" href="/docs/events.css">`;
  return `<!doctype html><html lang="en"><head>${head}</head><body><h1>${escapeHtml(title)}</h1>${parts.join('\n')}</body></html>`;
}

/** What the page shows of a JSON Schema. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

type Components = Readonly<Record<string, Schema>>;

/** An HTML table of the fields of a schema, nested ones by their path. Events inside it are not shown: they have tables of their own. */
function schemaTable(schema: Schema, components: Components): string {
  const rows = fieldRows(schema, components, '');
  if (rows === '') return '<p>No fields.</p>';
  return `<table><tr><th>Field</th><th>Type</th><th>Meaning</th></tr>${rows}</table>`;
}

function fieldRows(schema: Schema, components: Components, path: string): string {
  const { properties = {}, required = [] } = resolved(schema, components);
  return Object.entries(properties)
    .map(([name, field]) => {
      const own = resolved(field, components);
      const names = [path + name + (required.includes(name) ? '' : '?'), typeOf(own, components)].map(escapeHtml);
      const row = `<tr>${[...names, meaningOf(own)].map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
      const inner = own.items ?? own;
      return row + fieldRows(inner, components, `${path}${name}${own.items ? '[]' : ''}.`);
    })
    .join('');
}

function resolved(schema: Schema, components: Components): Schema {
  const component = components[schema.$ref?.split('/').at(-1) ?? ''];
  return component ? { ...component, ...schema } : schema;
}

function typeOf({ type, items, anyOf, const: only }: Schema, components: Components): string {
  if (only !== undefined) return `"${only}"`;
  if (items) return `list of ${typeOf(resolved(items, components), components)}`;
  if (anyOf) return anyOf.map((one) => typeOf(resolved(one, components), components)).join(' or ');
  return [type ?? 'object'].flat().join(' or ');
}

/** With the possible values, unless the description names each of them. Many are folded: those of `code` fill a screen. */
function meaningOf({ description = '', enum: words = [] }: Schema): string {
  const text = proseHtml(description);
  const unnamed = words.some((word) => !description.includes(`\`${word}\``));
  if (!unnamed) return text;
  if (words.length < 30) return `${text} (${escapeHtml(words.join(', '))})`.trim();
  return `${text} <details><summary>${words.length} values</summary>${escapeHtml(words.join(', '))}</details>`;
}

/** A description as HTML: it marks code by backticks, and its list is lines that begin with a hyphen. */
export function proseHtml(text: string): string {
  const marked = escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
  const broken = marked.replaceAll(/\n\n(?!- )/g, '<br><br>');
  return broken.replaceAll(/(?:(?:^|\n)- [^\n]*)+/g, (list) => {
    const items = list.trim().slice(2).split('\n- ');
    return `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
  });
}

/** Text as HTML shows it. */
function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
