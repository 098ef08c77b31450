/** JSON text with every bigint as a decimal string. */
export function jsonWithAmountsAsText(fields: object): string {
  return JSON.stringify(fields, (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}
