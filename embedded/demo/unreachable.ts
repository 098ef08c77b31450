/** Why a request reaches no stack, in the words of the system and of Node's fetch. */
const causes: readonly unknown[] = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** Whether a request failed because no stack is there any more, as its cause says. */
export function isUnreachable(error: unknown): boolean {
  const { cause } = Object(error) as { readonly cause?: { readonly code?: unknown } | null };
  return causes.includes(cause?.code);
}
