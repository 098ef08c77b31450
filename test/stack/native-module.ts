import type { createRequire } from 'node:module';
import { runInThisContext } from 'node:vm';

/** Of native modules. */
export const nativeGlobal = runInThisContext('globalThis') as typeof globalThis;

/** Node's own, where the `createRequire` that a test can import is jest's. */
const createNativeRequire = runInThisContext(
  "process.getBuiltinModule('node:module').createRequire",
) as typeof createRequire;
const requireNatively = createNativeRequire(new URL('../../package.json', import.meta.url));

/**
 * A package, or a file by its path in the project (`./src/api.ts`), outside of jest's registry of modules: Node compiles it as in
 * production, and once for all test files of a process. A class of it is not the one that a test imports.
 */
export const nativeModule = (name: string): unknown => requireNatively(name);
