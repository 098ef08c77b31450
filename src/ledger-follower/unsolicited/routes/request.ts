import { z } from 'zod';
import { refText } from '../../../transactions/rules/utxo-ref.ts';
import { AddressText } from '../../../platform/http/fields.ts';

const OutputRef = z.strictObject({
  txHash: z.string().regex(/^[0-9a-f]{64}$/, 'A transaction hash is 32 bytes in lower-case hex'),
  index: z.int().min(0).max(65_535),
});

export const ReturnUnsolicited = z
  .strictObject({
    outputs: z
      .array(OutputRef)
      .min(1)
      .max(100)
      .refine((outputs) => new Set(outputs.map(refText)).size === outputs.length, 'Name each output once'),
    address: AddressText.describe('The address that receives all outputs'),
  })
  .meta({ id: 'ReturnUnsolicited' });
