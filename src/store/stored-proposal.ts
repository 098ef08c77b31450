import { type BaseUnits, baseUnits, basisPoints, lovelace } from '../domain/units/money.ts';
import type { ProposalEffect } from '../domain/proposal/effect.ts';
import type { Tally } from '../domain/vote/tally.ts';
import type { GovernanceThresholds } from '../domain/vault/vault.ts';

/** The votes as they were when voting closed, and all the power that could have voted. */
export interface FinalTally extends Tally {
  readonly quorumBase: BaseUnits;
}

/** JSON with every amount as text. */
export function jsonWithAmountsAsText(fields: object): string {
  return JSON.stringify(fields, (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

export function storedTally({ approve, reject, uniqueVoters: voters, quorumBase }: FinalTally): string {
  return jsonWithAmountsAsText({ approve, reject, voters, quorumBase });
}

export function readFinalTally(stored: object): FinalTally {
  const { quorumBase, ...sums } = stored as Sums & { readonly quorumBase: string };
  return { ...readTally(sums), quorumBase: baseUnits(BigInt(quorumBase)) };
}

interface Sums {
  readonly approve: string;
  readonly reject: string;
  readonly voters: string | number;
}

export function readTally(sums: Sums): Tally {
  const [approve, reject] = [BigInt(sums.approve), BigInt(sums.reject)];
  return {
    approve: baseUnits(approve),
    reject: baseUnits(reject),
    totalVoted: baseUnits(approve + reject),
    uniqueVoters: Number(sums.voters),
  };
}

export function readThresholds(stored: object): GovernanceThresholds {
  const texts = stored as Record<keyof GovernanceThresholds, string>;
  const points = (name: keyof GovernanceThresholds) => basisPoints(BigInt(texts[name]));
  return {
    creation: points('creation'),
    start: points('start'),
    vote: points('vote'),
    execution: points('execution'),
    cosigning: points('cosigning'),
  };
}

/** An effect from its columns; amounts become bigint again. */
export function readEffect(row: { type: string; asset_ids: readonly string[]; terms: object }): ProposalEffect {
  const stored = row.terms as Record<string, string | null>;
  const { price, quantity } = stored;
  const terms = {
    ...stored,
    ...(price !== undefined && { price: price === null ? null : lovelace(BigInt(price)) }),
    ...(typeof quantity === 'string' && { quantity: baseUnits(BigInt(quantity)) }),
  };
  return { type: row.type, assetIds: row.asset_ids, terms } as ProposalEffect;
}
