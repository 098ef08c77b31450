import type { ReservingProposal } from './affected-assets.ts';

/**
 * Those of `earlier` proposals, in the order in which their votes end, on which it depends who gets the assets: the ones over one of them,
 * and the ones before these over an asset of theirs.
 */
export function contendersFor<Earlier extends Pick<ReservingProposal, 'assetIds'>>(
  assetIds: readonly string[],
  earlier: readonly Earlier[],
): Earlier[] {
  const contended = new Set(assetIds);
  const latestFirst = earlier.toReversed().filter(({ assetIds: held }) => {
    const contends = held.some((id) => contended.has(id));
    if (contends) for (const id of held) contended.add(id);
    return contends;
  });
  return latestFirst.reverse();
}
