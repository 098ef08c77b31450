import { asyncApiDocument } from './document.ts';
import { eventSchemas } from '../routes/event-message.ts';
import { type Components, escapeHtml, proseHtml, type Schema, schemaTable } from './schema-table.ts';
import { socketSample } from './socket-sample.ts';

/** The AsyncAPI document as a page for people; it has no script, and its style sheet comes from this service. */
export function eventsPage(version: string): string {
  const { info, components, operations, channels } = asyncApiDocument(version);
  const schemas = components.schemas as Components;
  const messages = components.messages as Readonly<Record<string, { readonly payload: Schema }>>;
  const messageSections = Object.entries(operations).flatMap(([name, { action, summary, messages: refs }]) => {
    const message = messages[refs[0]?.$ref.split('/').at(-1) ?? ''];
    if (!message || name === 'streamEvents') return [];
    const sender = action === 'receive' ? 'sent by the client' : 'sent by the service';
    const reply = messages[`${name}Reply`];
    const acknowledgement = reply ? `<h4>Acknowledgement</h4>${successTable(reply.payload, schemas)}` : '';
    const heading = `<h3 id="${name}"><code>${name}</code>, ${sender}</h3><p>${proseHtml(summary)}</p>`;
    return [heading + schemaTable(message.payload, schemas) + acknowledgement];
  });
  const [first] = eventSchemas;
  const eventFields = first === undefined ? {} : componentOf(first[0], schemas);
  const { data: _data, ...common } = eventFields.properties ?? {};
  const eventSections = eventSchemas.map(([type]) => {
    const { properties = {}, description = '' } = componentOf(type, schemas);
    return `<h3 id="${type}"><code>${type}</code></h3><p>${proseHtml(description)}</p>${schemaTable(properties['data'] ?? {}, schemas)}`;
  });
  return page(info.title, [
    `<p>${proseHtml(info.description)} See also the <a href="/docs/">operations</a> and the <a href="/asyncapi.json">AsyncAPI document</a>. The typed client, <code>client/</code> in the repository of the service, reads them for you: <code>followEvents</code>.</p>`,
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
