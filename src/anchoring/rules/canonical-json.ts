/** Canonical text of a JSON value: no whitespace, fields sorted by name (RFC 8785). Throws TypeError for values that JSON does not have. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) return canonicalObject(value);
  const text: unknown = typeof value === 'number' && !Number.isFinite(value) ? undefined : JSON.stringify(value);
  if (typeof text !== 'string') throw new TypeError(`not JSON: ${typeof value}`);
  return text;
}

function canonicalObject(value: object): string {
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`;
}
