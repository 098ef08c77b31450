/** The name of a vault or asset type as it is stored: upper case with underscores. Undefined for text that is no name. */
export function parseTypeName(text: string): string | undefined {
  const name = text.toUpperCase().replaceAll(/[- ]/g, '_');
  return /^[A-Z][A-Z0-9_]{0,39}$/.test(name) ? name : undefined;
}
