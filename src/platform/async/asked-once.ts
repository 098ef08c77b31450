/** A question that is asked when its answer is first wanted, and then never again. */
export function askedOnce<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asking: Promise<Answer> | undefined;
  return () => (asking ??= ask());
}
