import { z } from 'zod';
import { AddressText, AssetNameText, PolicyId } from '../server/fields.ts';
import { ActionType, Terms } from './effect-request.ts';
import { phaseDurations, proposalThresholds, requiredCosigners } from './fields.ts';

/** Body of POST /vaults/{vaultId}/proposals: the spec's fields, and `terms`, `phases` and the last two thresholds beside them. */
export const CreateProposal = z
  .strictObject({
    proposer: AddressText,
    proposal_details: z.strictObject({
      title: z.string().trim().min(1).max(200),
      description: z.string().max(20_000),
      action_type: ActionType,
      affected_assets: z
        .array(z.strictObject({ policy_id: PolicyId, asset_name: AssetNameText }))
        .max(100)
        .describe(
          'sell_asset, stake_asset: assets that the vault holds, all it holds of each; buy_asset: the one to buy; liquidate: none',
        )
        .default([]),
      terms: Terms.describe(
        'What the vote fixes, and the execution must then equal; what it leaves open is decided by whoever executes. Terms of another ' +
          'action are refused',
      ).default({}),
    }),
    governance_thresholds: z
      .strictObject({
        ...proposalThresholds,
        required_cosigners: requiredCosigners(
          0,
          "The vault's own number unless said, and 1 where it has none; 0 executes without cosigners.",
        ),
      })
      .default({}),
    phases: z
      .strictObject(phaseDurations)
      .describe("What is left out is the vault's own, and where it has none, what is usual")
      .default({}),
  })
  .meta({ id: 'CreateProposal' });

export type ProposalRequest = z.output<typeof CreateProposal>;
