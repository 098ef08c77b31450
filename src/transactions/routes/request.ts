import { z } from 'zod';

/** The path parameter of operations on one transaction; a hash in upper case is accepted. */
export const TransactionParams = z.strictObject({
  hash: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'A transaction hash is 32 bytes in hex')
    .transform((text) => text.toLowerCase()),
});
