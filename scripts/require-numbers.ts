/** Throws an Error unless each option that is given is a number from 0 on: with another value, a test would try nothing and pass. */
export function requireNumbers(options: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(options))
    if (value !== undefined && !/^\d+(\.\d+)?$/.test(value))
      throw new Error(`--${name}: must be a number, not ${value}`);
}
