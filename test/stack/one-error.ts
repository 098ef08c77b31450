import { nativeGlobal } from './native-global.ts';

/**
 * A test file has an `Error` of its own, and what Node itself loads has another one: here an error of either is an `instanceof` of both.
 */
for (const Base of [Error, nativeGlobal.Error])
  Object.defineProperty(Base, Symbol.hasInstance, {
    value(this: unknown, error: unknown): boolean {
      return this === Base ? Error.isError(error) : Function.prototype[Symbol.hasInstance].call(this, error);
    },
    configurable: true,
  });
