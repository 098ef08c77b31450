import { runInThisContext } from 'node:vm';

/** The global object of what Node itself loads; that of a test file is jest's. */
export const nativeGlobal = runInThisContext('globalThis') as typeof globalThis;
