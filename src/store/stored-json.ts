/** JSON with every amount as text. */
export function jsonWithAmountsAsText(fields: object): string {
  return JSON.stringify(fields, (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}
