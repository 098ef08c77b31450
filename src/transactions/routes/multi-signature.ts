import { z } from 'zod';
import type { Signer } from '../../executions/rules/required-signatures.ts';
import { countSignatures, signingKeys } from '../rules/signatures.ts';
import type { ChainTransaction } from '../queries/chain-transactions.ts';

const KeyHashes = z.array(z.string());

/** The signatures of a transaction, wherever it is presented. The platform's are shown and not counted. */
export const MultiSignature = z
  .object({
    hash: z.string().describe('Hash of the transaction, which is what the keys sign'),
    signatures: z.array(z.string()).describe('Ed25519 signatures of wallets in hex, one for each of `signers`'),
    signers: KeyHashes.describe('Key hashes of the wallets that have signed'),
    threshold: z.int().describe('Same as `required`, with the name of the specification'),
    required: z.int().describe('Number of keys of wallets that have to sign'),
    present: z
      .int()
      .describe('How many of the required signatures there are; cosigners above the number that suffices do not count'),
    missing: z.int().describe('`required` less `present`'),
    keys: z
      .array(
        z.object({
          keyHash: z.string(),
          wallet: z
            .string()
            .nullable()
            .describe(
              'Address of the wallet that was asked to sign with it; null for the platform and for further keys',
            ),
          isPlatform: z.boolean().describe('The platform signs with it, after the wallets'),
          isRequired: z.boolean().describe('false for cosigners of whom some suffice'),
          hasSigned: z.boolean().describe('Whether its signature is there'),
        }),
      )
      .describe('Every key that may sign, those of the platform included'),
  })
  .meta({ id: 'MultiSignature' });

/** `named`: the wallets that were asked to sign. */
export function presentMultiSignature(
  transaction: ChainTransaction,
  named: readonly Signer[],
): z.input<typeof MultiSignature> {
  const { hash, witnesses, signedCbor } = transaction;
  const signed = new Set(witnesses.map(({ keyHash }) => keyHash));
  const count = countSignatures(transaction, signed);
  const wallets = new Map(named.map(({ keyHash, wallet }) => [keyHash, wallet]));
  return {
    hash,
    signatures: witnesses.map(({ signature }) => signature),
    signers: [...signed],
    threshold: count.required,
    ...count,
    keys: signingKeys(transaction).map(({ keyHash, isPlatform, isRequired }) => {
      // What the platform signs is stored as a whole.
      const hasSigned = isPlatform ? signedCbor !== null : signed.has(keyHash);
      return { keyHash, wallet: isPlatform ? null : (wallets.get(keyHash) ?? null), isPlatform, isRequired, hasSigned };
    }),
  };
}
