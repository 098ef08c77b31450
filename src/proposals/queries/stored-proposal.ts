import { type BaseUnits, baseUnits, basisPoints, lovelace } from '../../platform/units/money.ts';
import type { ProposalEffect } from '../rules/effect.ts';
import type { Tally } from '../../votes/rules/tally.ts';
import type { ProposalType } from '../rules/proposal.ts';
import type { GovernanceThresholds } from '../../vaults/rules/vault.ts';
import type { AmountTexts } from '../../platform/database/tables/columns.ts';
import type { StoredTally, StoredTerms } from '../../platform/database/tables/proposals.ts';
import { jsonWithAmountsAsText } from '../../platform/database/stored-json.ts';

/** The sums of the votes when voting closed, the power that could have voted, and the tokens that holders had. */
export interface FinalTally extends Tally {
  readonly quorumBase: BaseUnits;
  readonly circulating: BaseUnits;
}

export function storedTally({ approve, reject, uniqueVoters: voters, quorumBase, circulating }: FinalTally): string {
  return jsonWithAmountsAsText({ approve, reject, voters, quorumBase, circulating });
}

export function readFinalTally({ quorumBase, circulating, ...sums }: StoredTally): FinalTally {
  return {
    ...readTally(sums),
    quorumBase: baseUnits(BigInt(quorumBase)),
    circulating: baseUnits(BigInt(circulating)),
  };
}

export function readTally(sums: Omit<StoredTally, 'quorumBase' | 'circulating'>): Tally {
  const [approve, reject] = [BigInt(sums.approve), BigInt(sums.reject)];
  return {
    approve: baseUnits(approve),
    reject: baseUnits(reject),
    totalVoted: baseUnits(approve + reject),
    uniqueVoters: Number(sums.voters),
  };
}

export function readThresholds(stored: AmountTexts<keyof GovernanceThresholds>): GovernanceThresholds {
  const points = (name: keyof GovernanceThresholds) => basisPoints(BigInt(stored[name]));
  return {
    creation: points('creation'),
    start: points('start'),
    vote: points('vote'),
    execution: points('execution'),
    cosigning: points('cosigning'),
  };
}

/** Reads an effect from its columns; amounts become bigint again. */
export function readEffect(row: {
  type: ProposalType;
  asset_ids: readonly string[];
  terms: StoredTerms;
}): ProposalEffect {
  const stored = row.terms;
  const { price, quantity } = stored;
  const terms = {
    ...stored,
    ...(price !== undefined && { price: price === null ? null : lovelace(BigInt(price)) }),
    ...(typeof quantity === 'string' && { quantity: baseUnits(BigInt(quantity)) }),
  };
  return { type: row.type, assetIds: row.asset_ids, terms } as ProposalEffect;
}
