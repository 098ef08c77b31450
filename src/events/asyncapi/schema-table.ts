/** What the page shows of a JSON Schema. */
export interface Schema {
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

export type Components = Readonly<Record<string, Schema>>;

/** An HTML table of the fields of a schema, nested ones by their path. Events inside it are not shown: they have tables of their own. */
export function schemaTable(schema: Schema, components: Components): string {
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
  return marked.replaceAll(/(?:(?:^|\n)- [^\n]*)+/g, (list) => {
    const items = list.trim().slice(2).split('\n- ');
    return `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
  });
}

/** Text as HTML shows it. */
export function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
