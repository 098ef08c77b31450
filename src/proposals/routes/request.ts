import { z } from 'zod';
import { AddressText, AssetNameText, PolicyId, visibleLines, visibleText } from '../../platform/http/fields.ts';
import { ActionType, Terms } from './effect-request.ts';
import { phaseDurations, proposalThresholds, requiredCosigners } from './fields.ts';

/** Body of POST /vaults/{vaultId}/proposals: the spec's fields, and in addition `terms`, `phases` and the last two thresholds. */
export const CreateProposal = z
  .strictObject({
    proposer: AddressText,
    proposal_details: z.strictObject({
      title: visibleText(200, 1),
      description: visibleLines(20_000),
      action_type: ActionType,
      affected_assets: z
        .array(z.strictObject({ policy_id: PolicyId, asset_name: AssetNameText }))
        .max(100)
        .describe(
          'sell_asset, stake_asset: assets of the vault, each with its whole quantity; buy_asset: the one asset to buy; liquidate: none',
        )
        .default([]),
      terms: Terms.describe(
        'Terms that the vote fixes; the execution must have the same. The executing user decides the terms that are absent. Terms of ' +
          'another action are an error',
      ).default({}),
    }),
    governance_thresholds: z
      .strictObject({
        ...proposalThresholds,
        required_cosigners: requiredCosigners(
          0,
          "By default the vault's number, or 1 if the vault has none. With 0, an execution needs no cosigners.",
        ),
      })
      .default({}),
    phases: z
      .strictObject(phaseDurations)
      .describe(
        "By default the vault's durations; if the vault has none, the defaults below. Voting and lock cannot be shorter than the vault's own",
      )
      .default({}),
  })
  .meta({ id: 'CreateProposal' });

export type ProposalRequest = z.output<typeof CreateProposal>;
