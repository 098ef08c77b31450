import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<string>();

/** Runs `work` with `id` as the correlation id of everything it starts, also asynchronously. */
export function correlated<T>(id: string, work: () => T): T {
  return current.run(id, work);
}

/** The correlation id of the current request or activity; undefined outside of one. */
export function correlationId(): string | undefined {
  return current.getStore();
}

/** Whether the correlation id of a caller is accepted. */
export function isCorrelationId(text: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(text);
}
