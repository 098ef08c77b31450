import { z } from 'zod';
import { terminationEnds } from '../../termination/rules/termination-end.ts';
import { AmountText, Timestamp } from '../../platform/http/fields.ts';
import { TerminationReasonEnum } from '../../vaults/routes/enums.ts';

const none = z.looseObject({});
const handedAssets = z.looseObject({
  assets: z.array(
    z.looseObject({ assetId: z.uuid().describe('The asset'), address: z.string().describe('Who gets it') }),
  ),
});
const claims = z.looseObject({
  potLovelace: AmountText.describe('Lovelace that holders share'),
  circulatingFtBaseUnits: AmountText.describe('Tokens that share it, in base units'),
  claimDeadline: Timestamp.describe('Until when they can claim'),
});
const rotation = z.looseObject({ rotationId: z.uuid().describe('The rotation') });
const custodyAddress = z.string().describe('Address of the new custody');

/** What events of the end of a vault, and of a new custody, say. */
export const terminationEventData = {
  TERMINATION_BEGUN: z.looseObject({ reason: TerminationReasonEnum }),
  TERMINATION_TAKEN_BACK: none,
  CLAIMS_WITHDRAWN: none,
  CLAIMS_OPENED: claims,
  CLAIMS_CHANGED: claims.extend({
    endedBecause: z
      .enum(terminationEnds)
      .nullable()
      .describe(
        'Why the claims are over; null while holders can claim. A vault that names nobody for its ADA still pays claims after that',
      ),
  }),
  ASSETS_HANDED_OVER: handedAssets,
  ASSETS_HAND_OVER_ROLLED_BACK: handedAssets,
  ROTATION_ANNOUNCED: rotation.extend({
    reason: z.string().describe('Why, in the words of the operator'),
    compromised: z.boolean().describe('Whether it begins at once because a key is compromised'),
    startsAt: Timestamp.describe('When it begins'),
    contractAddress: custodyAddress,
  }),
  ROTATION_CANCELLED: rotation,
  ROTATION_BEGUN: rotation,
  CUSTODY_CHANGED: rotation.extend({
    from: z.string().describe('Address of the former custody'),
    to: custodyAddress,
  }),
  ROTATION_FINISHED: rotation.extend({ contractAddress: custodyAddress }),
  ROTATION_REOPENED: rotation,
};
