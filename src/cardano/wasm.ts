/** An object of the serialization library whose memory the garbage collector does not manage. */
interface Freeable {
  free(): void;
}

/** Uses a WASM object and frees its memory at once; waiting for the collector doubled the memory of the process (300,000 objects). */
export function withWasm<Owned extends Freeable, Result>(owned: Owned, use: (owned: Owned) => Result): Result {
  try {
    return use(owned);
  } finally {
    owned.free();
  }
}

/**
 * Runs library calls and converts the strings that they throw to Errors. A trap ends the process: the library does not give back the
 * memory of the call, so after some traps every later call fails (design D49).
 */
export function toErrors<Result>(calls: () => Result): Result {
  try {
    return calls();
  } catch (cause) {
    if (!(cause instanceof Error)) throw new Error(`cardano-serialization-lib: ${String(cause)}`, { cause });
    // By name, because each realm has a class of its own.
    if (cause.name === 'RuntimeError') endProcess(cause);
    throw cause;
  }
}

function endProcess(trap: Error): void {
  process.nextTick(() => {
    throw new Error('the serialization library trapped, so this process ends', { cause: trap });
  });
}
