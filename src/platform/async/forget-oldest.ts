/** Keeps a map to its newest entries; called after each entry that is added. */
export function forgetOldest(entries: Map<string, unknown>, limit: number): void {
  const [oldest] = entries.keys();
  if (entries.size > limit && oldest !== undefined) entries.delete(oldest);
}
