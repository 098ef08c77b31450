import { isoText } from '../platform/units/instant.ts';
import type { LedgerHold } from './queries/ledger-hold.ts';

/** Why the ledger is not followed, for an operator. */
export function ledgerHoldText({ since, tipHeight, forkHeight, acceptedFrom }: LedgerHold): string {
  const parting =
    forkHeight === null
      ? `The ledger has none of the blocks that were followed up to ${tipHeight}`
      : `The ledger has other blocks after block ${forkHeight}; ${tipHeight - forkHeight} followed blocks are no longer on it`;
  const next =
    acceptedFrom === null
      ? 'Nothing is followed until an operator accepts this (docs/operations.md, "A ledger with another history").'
      : `Its history is accepted from block ${acceptedFrom} on.`;
  return `${parting}, since ${isoText(since)}. ${next}`;
}
