import { z } from 'zod';
import {
  HoldReasonEnum,
  TerminationReasonEnum,
  ValuationTypeEnum,
  VaultActionEnum,
  VaultPhaseEnum,
  VaultStatusEnum,
  VaultTypeEnum,
  WindowStatusEnum,
} from './enums.ts';
import { AssetTypeEnum } from '../assets/enums.ts';
import { RefusalCode } from '../server/enums.ts';
import { AmountText, DurationPrinted, Timestamp } from '../server/fields.ts';
import { investmentTexts, thresholdTexts, defaultDurationText } from '../server/descriptions.ts';
import { vaultExample } from './examples.ts';

const WindowFields = z.object({
  startTime: Timestamp.describe('It is open from then on'),
  endTime: Timestamp.describe('And no longer from then on'),
  duration: DurationPrinted,
  status: WindowStatusEnum,
});

const phaseEnd =
  'The next opening or closing of a window; `settlesBy`, at the latest, for finality and settlement; the programmed end for ' +
  'governance; null where no clock ends the phase';

const lasts = (usual: string) =>
  DurationPrinted.describe(
    `Absent where its creator named none: then ${usual}, as far as the deployment's bounds allow`,
  ).optional();

/** The spec's Vault resource with the additive fields of the design. */
export const VaultResource = z
  .object({
    id: z.uuid(),
    name: z.string(),
    contractAddress: z.string().describe('Where the vault keeps what it holds, once it has settled'),
    type: VaultTypeEnum,
    status: VaultStatusEnum,
    phase: VaultPhaseEnum,
    phaseEndsAt: Timestamp.nullable().describe(phaseEnd),
    overdueSeconds: z.int().describe('How late a change is that was due; 0 when nothing is'),
    serverTime: Timestamp.describe('The time all of this was true at; windows and phases go by it'),
    holds: z
      .array(z.object({ reason: HoldReasonEnum, since: Timestamp.describe('When it began to wait') }))
      .describe('What keeps it from going on although its time has come; empty when nothing does'),
    allowedActions: z
      .array(
        z.object({
          action: VaultActionEnum,
          allowed: z.boolean().describe('Whether anyone can do it now; who may is asked besides'),
          reason: RefusalCode.describe('The code it would be refused with; absent when it is allowed').optional(),
        }),
      )
      .describe('Each action on the vault'),
    assetTypes: z.array(AssetTypeEnum),
    assetWhitelist: z.array(z.string()).describe('Policy ids whose assets it takes; any when empty'),
    contributorWhitelist: z.array(z.string()).describe('Wallets; `type` says what they may'),
    investorWhitelist: z.array(z.string()).describe('Wallets; `type` says what they may'),
    assetWindow: WindowFields,
    investmentWindow: WindowFields.extend({ valuationType: ValuationTypeEnum }),
    fractionalization: z.object({
      percentage: z.number().describe(investmentTexts.investors),
      tokenSupply: z.number().describe('Whole tokens that settling mints, all there will ever be'),
      tokenSupplyBaseUnits: AmountText.describe(
        'The same, exactly: `tokenSupply` times 10 to the power of `tokenDecimals`',
      ),
      tokenDecimals: z.int().describe('Of the token: how many digits a whole one is divided into'),
      tokenAddress: z.string().describe('Policy id and name of the token, in hex'),
    }),
    investment: z.object({
      reserve: z.number().describe(investmentTexts.reserve),
      liquidityPool: z.number().describe(investmentTexts.liquidity),
    }),
    governance: z.object({
      creationThreshold: z.number().describe(thresholdTexts.creation),
      startThreshold: z.number().describe(thresholdTexts.start),
      voteThreshold: z.number().describe(thresholdTexts.vote),
      executionThreshold: z.number().describe(thresholdTexts.execution),
      cosigningThreshold: z.number().describe(thresholdTexts.cosigning),
      votingDuration: lasts(defaultDurationText.voting),
      lockDuration: lasts(defaultDurationText.lock),
      executionDuration: lasts(defaultDurationText.execution),
      requiredCosigners: z
        .int()
        .describe(
          'How many cosigners an execution needs unless its proposal asks for more; absent where nobody said: then 1',
        )
        .optional(),
      cosignerKeyHashes: z
        .array(z.string())
        .describe('Hashes of the payment keys that alone cosign; when empty whoever has staked `cosigningThreshold`'),
      stakingAddresses: z.array(z.string()).describe('The only addresses it stakes assets at; at none when empty'),
    }),
    termination: z.object({
      type: z
        .enum(['DAO', 'PROGRAMMED'])
        .describe('DAO: by a proposal to liquidate; PROGRAMMED: `duration` after `lockedAt`, which ends no vault yet'),
      fdp: z.number().describe('Floor price deviation in percent; 0 for none; it ends no vault yet'),
      duration: DurationPrinted.describe('Of PROGRAMMED alone').optional(),
      reason: TerminationReasonEnum.nullable().describe('Why the vault ended or is ending; null while it goes on'),
    }),
    settlesBy: Timestamp.describe('From here on owners can take unsettled deposits back alone'),
    cancelRequestedAt: Timestamp.nullable().describe('Null unless its admin cancelled it'),
    creationConfirmedAt: Timestamp.nullable().describe(
      'When its creation was found in a block; null while it is in none',
    ),
    lockedAt: Timestamp.nullable().describe('When it had settled; null before'),
    terminatedAt: Timestamp.nullable().describe('When it ended; null before'),
    createdBy: z.string().describe("Its admin's wallet"),
    createdAt: Timestamp,
    updatedAt: Timestamp.describe('When its status last changed, or its end was decided'),
    metadata: z
      .looseObject({
        assetSettings: z.object({
          floorPricePercentage: z.number().describe("How many percent of an asset's market price count"),
          maxAssets: z.int().describe('How many assets it takes'),
          countedAssets: z
            .int()
            .describe('How many of `maxAssets` are taken, by signed transactions as by what it holds'),
        }),
      })
      .describe('What its creator sent as `metadata`, and `assetSettings`'),
  })
  .meta({ id: 'Vault', examples: [vaultExample] });
