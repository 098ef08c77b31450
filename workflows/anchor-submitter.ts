import type { AnchorWaitCause } from '../src/anchoring/rules/pace.ts';
import type { AnchorSubmitterInput } from '../src/platform/temporal/messages.ts';
import { anchors } from './activity-proxies.ts';
import { restartWhenLong } from './restart.ts';
import { trackProgress } from './progress.ts';

/** Sends the anchors of one anchor chain to the ledger, in order (design §5). Its state is in Postgres; it has no deadlines. */
export function anchorSubmitter(input: AnchorSubmitterInput): Promise<never> {
  const { anchorChainId } = input;
  const progress = trackProgress(input, ['sealed', 'transactionChanged']);
  progress.setPhase(
    'anchoring',
    'Signing and sending the anchors of its chain in order, and rebuilding expired ones. Waiting for the next ones.',
  );
  let shown: AnchorWaitCause | null = null;
  return progress.waitFor<never>(async () => {
    const wait = await anchors.sendAnchors({ anchorChainId, shown });
    shown = wait && wait.cause;
    progress.setNote(wait && wait.sentence);
    await restartWhenLong(input);
    return null;
  });
}
