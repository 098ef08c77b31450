/** Work that runs once at a time: whoever asks while it runs shares its result, and the next one who asks runs it again. */
export function oneAtATime<Asked extends readonly unknown[], Result>(
  work: (...asked: Asked) => Promise<Result>,
): (...asked: Asked) => Promise<Result> {
  let running: Promise<Result> | null = null;
  // `finally` is late on purpose: work that ends before its first `await` must not be forgotten before it is remembered.
  return (...asked) => (running ??= work(...asked).finally(() => (running = null)));
}
