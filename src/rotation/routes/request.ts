import { z } from 'zod';
import { AddressText, CborText, visibleText } from '../../platform/http/fields.ts';

const NamedCosigner = z.strictObject({
  address: AddressText.describe('Address of their wallet'),
  signature: CborText.describe(
    'COSE_Sign1 in CBOR hex of their agreement: of each who is not a cosigner yet, and of as many present ones as have to sign',
  ).optional(),
  key: CborText.describe('COSE_Key in CBOR hex').optional(),
});

/** Accepted in the body of an announcement. */
export const RotationBody = z
  .strictObject({
    reason: visibleText(500, 1).describe('Everybody reads it'),
    newKey: z.boolean().default(true).describe('Whether the vault gets a new key'),
    cosigners: z
      .array(NamedCosigner)
      .min(1)
      .max(20)
      .describe('All cosigners from then on, instead of those that the vault has. Default: it keeps them')
      .optional(),
    leavingCosigners: z
      .array(NamedCosigner)
      .max(20)
      .describe('Present cosigners who are not among `cosigners`, and agree')
      .optional(),
    requiredCosigners: z
      .int()
      .min(1)
      .max(20)
      .describe('How many of `cosigners` have to sign; default: as many as before, or all if there are fewer')
      .optional(),
    compromised: z
      .boolean()
      .default(false)
      .describe('Whether the key of the vault is compromised. Then it begins at once, and the cosigners stay'),
  })
  .meta({ id: 'AnnounceRotation' });

/** An announcement for a vault. */
export type AnnouncedRotation = z.output<typeof RotationBody> & { readonly vaultId: string };
