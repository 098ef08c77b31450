import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<string>();

/** Runs `work` so that everything it starts, however late, knows `id` as its correlation id. */
export function correlated<T>(id: string, work: () => T): T {
  return current.run(id, work);
}

/** The id of the request or activity that is running; undefined outside of one. */
export function correlationId(): string | undefined {
  return current.getStore();
}

/** Whether a caller's own correlation id may be taken over. */
export function isCorrelationId(text: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(text);
}
