import type { ChainState } from './chain-state.ts';
import type { AssetHistory } from './history.ts';
import { metadataJson } from './metadata-json.ts';
import { metadataOf } from './transaction-view.ts';

/** What an asset's newest mint says about it by CIP-25 (label 721); nulls when it says nothing. */
export function onchainMetadata(chain: ChainState, unit: string, { mints }: AssetHistory) {
  const newest = mints.at(-1);
  const transaction = newest === undefined ? undefined : chain.history.transaction(newest);
  const label = metadataJson(transaction && metadataOf(transaction.cbor)).find((entry) => entry.label === '721');
  const policy = field(label?.json_metadata, unit.slice(0, 56));
  const name = Buffer.from(unit.slice(56), 'hex').toString('utf8');
  const own = field(policy, name);
  return {
    onchain_metadata: own ?? null,
    onchain_metadata_standard: own === undefined ? null : 'CIP25v1',
    onchain_metadata_extra: null,
  };
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
